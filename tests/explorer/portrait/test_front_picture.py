"""The picture of a front: the staircase lies where it must, and nothing it is given makes it fail."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from explorer.portrait.front_picture import HEIGHT, WIDTH, Axis, Cloud, _Frame, _span, _ticks, front_picture

AXES = (Axis("Recall"), Axis("Precision"))


def cloud(points: list[tuple[float, float]], lambdas: list[float] | None = None) -> Cloud:
    count = len(points)
    return Cloud(
        points=np.array(points, dtype=float).reshape(-1, 2),
        refined=np.empty((0, 2)),
        lambdas=np.array(lambdas or [math.nan] * count),
        on_front=np.zeros(count, dtype=np.bool_),
    )


def drawn(made: Cloud, axes: tuple[Axis, Axis] = AXES) -> Image.Image:
    return Image.open(io.BytesIO(front_picture("a sweep", "3 trials", axes, made))).convert("RGB")


def dark(picture: Image.Image, frame: _Frame, x: float, y: float) -> bool:
    """Whether the line of the front goes through a point."""
    column, row = (frame.at(np.array([[x, y]]))[0] / 2).round().astype(int).tolist()
    return any(sum(picture.getpixel((column, row + d))) < 200 for d in (-1, 0, 1))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("axes", "points", "on", "off"),
    [
        (AXES, [(0.0, 1.0), (1.0, 0.0)], (0.5, 0.0), (0.5, 1.0)),
        (
            (Axis("FID", rises=False), Axis("KID", rises=False)),
            [(0.0, 1.0), (1.0, 0.0)],
            (0.5, 1.0),
            (0.5, 0.0),
        ),
        ((Axis("FID", rises=False), Axis("Precision")), [(0.0, 0.0), (1.0, 1.0)], (0.5, 0.0), (0.5, 1.0)),
    ],
)
def test_between_two_neighbours_the_worse_of_both_is_attained(axes, points, on, off) -> None:
    frame = _Frame(_span(np.array([0.0, 1.0])), _span(np.array([0.0, 1.0])))
    picture = drawn(cloud(points), axes)
    assert dark(picture, frame, *on)
    assert not dark(picture, frame, *off)


def test_lambda_has_its_colours_and_those_without_it_are_grey() -> None:
    made = cloud([(0.1, 0.9), (0.5, 0.5), (0.9, 0.1)], [0.1, math.nan, 10.0])
    picture = drawn(made)
    frame = _Frame(_span(made.points[:, 0]), _span(made.points[:, 1]))
    places = (frame.at(made.points) / 2).round().astype(int).tolist()
    first, grey, last = (picture.getpixel((x, y)) for x, y in places)
    assert first[2] > first[0]  # type: ignore[index]
    assert max(grey) - min(grey) < 40  # type: ignore[type-var, operator, arg-type]
    assert last[1] > last[2] + 50  # type: ignore[index]


def test_it_is_small_and_of_one_size() -> None:
    rng = np.random.default_rng(0)
    made = cloud(rng.random((5000, 2)).tolist(), rng.random(5000).tolist())
    content = front_picture("a sweep", "", AXES, made)
    assert Image.open(io.BytesIO(content)).size == (WIDTH, HEIGHT)
    assert len(content) < 300_000


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-1e9, 1e9), st.one_of(st.floats(-1e-6, 1e6), st.just(math.nan))),
        min_size=1,
        max_size=9,
    ),
    st.floats(1e-9, 1e9),
)
def test_any_points_make_a_picture_or_are_refused(points: list[tuple[float, float]], lam: float) -> None:
    made = cloud(points, [lam] * len(points))
    if not np.isfinite(made.points).all(axis=1).any():
        with pytest.raises(ValueError, match="a picture of a front needs a point"):
            drawn(made)
    else:
        assert drawn(made).size == (WIDTH, HEIGHT)


def test_ticks_are_round_and_few() -> None:
    assert _ticks(0.03, 0.97) == pytest.approx([0.2, 0.4, 0.6, 0.8])
    assert _ticks(-5.0, 120.0) == [0.0, 25.0, 50.0, 75.0, 100.0]
