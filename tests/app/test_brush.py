"""A brush holds what lies inside it, and survives its URL; what is none is refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.brush import MOST_CORNERS, Brush

numbers = st.floats(-1e3, 1e3).map(lambda v: round(v, 3))
corners = st.tuples(numbers, numbers)


@given(corners, corners, st.lists(corners, min_size=1, max_size=30))
def test_a_box_holds_what_lies_between_its_corners(
    a: tuple[float, float], b: tuple[float, float], points: list[tuple[float, float]]
) -> None:
    brush = Brush("box", (a, b))
    x, y = np.array(points).T
    inside = brush.holds(x, y)
    for (u, v), held in zip(points, inside, strict=True):
        assert held == (min(a[0], b[0]) <= u <= max(a[0], b[0]) and min(a[1], b[1]) <= v <= max(a[1], b[1]))


@given(st.lists(corners, min_size=3, max_size=12, unique=True), st.lists(corners, min_size=1, max_size=20))
def test_a_lasso_holds_what_a_walk_around_it_winds_about_an_odd_number_of_times(
    ring: list[tuple[float, float]], points: list[tuple[float, float]]
) -> None:
    """Compared with the sum of signed quarter turns, another way to say inside, off the line itself."""
    brush = Brush("lasso", tuple(ring))
    # Off every corner's level: on the line itself both answers are right.
    offset = np.array(points) + 1e-4 * np.sqrt(2)
    inside = brush.holds(*offset.T)
    for (u, v), held in zip(offset, inside, strict=True):
        crossings = 0
        for (x1, y1), (x2, y2) in zip(ring, [*ring[1:], ring[0]], strict=True):
            if (y1 > v) != (y2 > v):
                side = (x2 - x1) * (v - y1) - (u - x1) * (y2 - y1)
                crossings += (side > 0) == (y2 > y1)
        assert held == bool(crossings % 2)


@given(st.lists(corners, min_size=3, max_size=20))
def test_a_brush_survives_its_url_and_the_chart(ring: list[tuple[float, float]]) -> None:
    for brush in (Brush("lasso", tuple(ring)), Brush("box", (ring[0], ring[1]))):
        back = Brush.parse(brush.text())
        assert back is not None
        assert np.allclose(back.corners, brush.corners, rtol=1e-5, atol=1e-5)
        told = Brush.of(brush.told())
        assert told is not None
        x, y = np.array(ring).T
        assert np.array_equal(told.holds(x, y), brush.holds(x, y))


@pytest.mark.parametrize(
    "text",
    ["", "box", "box:1,2", "box:1,2;3", "circle:1,2;3,4", "box:a,b;c,d", "box:nan,1;2,3", "lasso:1,2;3,4"],
)
def test_what_is_no_brush_is_none(text: str) -> None:
    assert Brush.parse(text) is None


@pytest.mark.parametrize(
    "told",
    [
        None,
        {},
        {"kind": "box", "x": [1, "2"], "y": [1, 2]},
        {"kind": "box", "x": "12", "y": [1, 2]},
        {"kind": "lasso", "points": [[1, 2], [3, 4]]},
        {"kind": "lasso", "points": [[i, i] for i in range(MOST_CORNERS + 1)]},
        {"kind": "lasso", "points": [[True, 2], [3, 4], [5, 6]]},
    ],
)
def test_what_a_browser_may_say_instead_is_none(told: dict | None) -> None:
    assert Brush.of(told) is None
