"""Samples as charts: points in a plane, densities on a line, what is worst and what was missed marked."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.figures.chart import Area, Line, Points
from explorer.figures.samples_chart import MOST_POINTS, samples_chart

rng = np.random.default_rng(0)
REAL, FAKE = rng.normal(size=(400, 2)), rng.normal(size=(300, 2))


def test_a_plane_shows_every_kind_and_the_worst_in_front() -> None:
    far = np.array([[30.0, -40.0]])
    chart = samples_chart(REAL, FAKE, FAKE[:50], outside=far, missed=REAL[:3], title="T", subtitle="S")
    assert [layer.name for layer in chart.layers if isinstance(layer, Points)] == [
        "real",
        "refused",
        "model",
        "real, missed",
        "worst of the model",
    ]
    assert [len(layer.x) for layer in chart.layers if isinstance(layer, Points)] == [400, 50, 300, 3, 1]
    assert chart.square
    assert chart.x.high >= 30, "what is marked is inside"
    assert chart.y.low <= -40
    assert (chart.title, chart.subtitle) == ("T", "S")
    assert "400 real" in chart.alt


def test_one_stray_sample_does_not_shrink_the_picture() -> None:
    stray = np.concatenate([FAKE, [[1e6, 1e6]]])
    chart = samples_chart(REAL, stray)
    assert chart.x.high < 10
    alone = samples_chart(np.empty((0, 0)), FAKE)
    assert alone.x.low < FAKE[:, 0].mean() < alone.x.high


def test_a_line_shows_densities_of_all_samples() -> None:
    real, fake = rng.normal(size=(2000, 1)), rng.normal(size=(1000, 1)) + 1
    chart = samples_chart(real, fake, fake[:10], outside=np.array([[9.0]]), missed=np.array([[-9.0]]))
    area, refused, model = chart.layers[:3]
    assert isinstance(area, Area)
    assert isinstance(refused, Line)
    assert isinstance(model, Line)
    assert (refused.name, model.name) == ("refused", "model")
    width = np.diff(model.x)
    mass = float((width * (model.y[:-1] + model.y[1:]) / 2).sum())
    assert mass == pytest.approx(1, abs=0.02)
    assert chart.x.low <= -9
    assert chart.x.high >= 9
    assert chart.y.low < 0, "marks lie below the densities"


@pytest.mark.parametrize("value", [0.0, 1e15, -1e90])
def test_samples_that_are_all_alike_have_a_width(value: float) -> None:
    chart = samples_chart(np.full((5, 1), value), np.full((5, 1), value))
    assert chart.x.high > chart.x.low
    assert np.isfinite(np.asarray(chart.layers[1].y)).all()  # type: ignore[union-attr]
    flat = samples_chart(np.full((5, 2), value), np.full((5, 2), value))
    assert flat.x.high > flat.x.low


def test_nothing_is_an_empty_chart_and_many_points_are_cut() -> None:
    nothing = np.empty((0, 2))
    assert not samples_chart(nothing, nothing).layers
    many = samples_chart(nothing, np.zeros((3 * MOST_POINTS, 2)))
    (layer,) = many.layers
    assert isinstance(layer, Points)
    assert len(layer.x) == MOST_POINTS


def test_points_of_different_spaces_are_refused() -> None:
    with pytest.raises(ValueError, match=r"dimension 1 or 2, got \[1, 2\]"):
        samples_chart(REAL, FAKE[:, :1])
    with pytest.raises(ValueError, match=r"got \[3\]"):
        samples_chart(np.zeros((4, 3)), np.zeros((4, 3)))
