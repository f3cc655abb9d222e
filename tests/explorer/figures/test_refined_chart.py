"""What a budget bought: a panel per metric, measured beside foretold, and axes that hold all of it."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.figures.chart import Band, Chart, Line, Points
from explorer.figures.refined_chart import Series, refined_chart

NAN = np.full(3, np.nan)
BUDGETS = (1.0, 1.5, 4.0)
MEASURED = np.array([0.6, 0.7, 0.9])


def series(**changes: object) -> Series:
    told = {"measured": MEASURED, "low": NAN, "high": NAN, "foretold": NAN, **changes}
    return Series("Precision", **told)  # type: ignore[arg-type]


def chart(**changes: object) -> Chart:
    return refined_chart(BUDGETS, {"precision": series(**changes)}, "Each metric")


def test_what_was_measured_is_a_line_with_its_points() -> None:
    (panel,) = chart().panels
    line, points = panel.layers
    assert isinstance(line, Line)
    assert isinstance(points, Points)
    assert (panel.title, line.name, points.name) == ("Precision", "measured", "")
    np.testing.assert_array_equal(line.x, BUDGETS)
    np.testing.assert_array_equal(points.y, MEASURED)


def test_what_was_foretold_is_dashed_and_intervals_are_bands() -> None:
    foretold, low = np.array([0.6, np.nan, 0.99]), np.array([0.5, np.nan, 0.85])
    (panel,) = chart(foretold=foretold, low=low, high=low + 0.1).panels
    band, dashed, *_ = panel.layers
    assert isinstance(band, Band)
    assert isinstance(dashed, Line)
    assert (dashed.dash, dashed.name) == ("dash", "foretold from K = 1")
    np.testing.assert_array_equal(band.x, [1.0, 4.0])
    assert panel.y is not None
    assert panel.y.low < 0.5
    assert panel.y.high > 0.99


def test_one_interval_alone_is_no_band() -> None:
    one = np.array([0.1, np.nan, np.nan])
    (panel,) = chart(low=one, high=one + 2).panels
    assert not any(isinstance(layer, Band) for layer in panel.layers)
    assert panel.y is not None
    assert panel.y.high < 1.0, "nor does the axis leave room for it"


def test_axes_end_a_little_beyond_what_a_metric_can_be() -> None:
    (panel,) = chart(measured=np.array([0.02, 0.5, 1.0]), floor=0.0, ceiling=1.0).panels
    assert panel.y is not None
    assert panel.y.low == pytest.approx(-0.02, abs=0.01)
    assert panel.y.high == pytest.approx(1.02, abs=0.01)


@pytest.mark.parametrize("values", [np.zeros(3), np.full(3, 5.0), NAN])
def test_an_axis_has_a_length_whatever_was_measured(values: np.ndarray) -> None:
    (panel,) = chart(measured=values).panels
    assert panel.y is not None
    assert panel.y.low < panel.y.high
    finite = values[np.isfinite(values)]
    assert ((panel.y.low < finite) & (finite < panel.y.high)).all()


def test_budgets_are_ticks_of_a_logarithmic_axis() -> None:
    found = refined_chart(BUDGETS, {"precision": series(), "fid": series()}, "Each", "300 samples", "mine")
    assert found.x.log
    assert (tuple(found.x.ticks), list(found.x.labels)) == (BUDGETS, ["1", "1.5", "4"])
    assert found.x.low < 1 < 4 < found.x.high
    assert (found.title, found.subtitle, found.file, len(found.panels)) == (
        "Each",
        "300 samples",
        "mine",
        2,
    )
    assert found.alt == "Precision, Precision by the budget K."


def test_one_budget_has_an_axis_too() -> None:
    one = Series("FID", np.ones(1), np.full(1, np.nan), np.full(1, np.nan), np.full(1, np.nan))
    found = refined_chart((1.0,), {"fid": one}, "Each")
    assert found.x.low < 1 < found.x.high
