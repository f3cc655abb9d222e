"""PR curves as a chart: a line each, points that tell their λ, the error of one that is alone."""

from __future__ import annotations

import numpy as np

from explorer.figures.chart import Band, Line, Points
from explorer.figures.curve_chart import MARKS, pr_curves_chart
from explorer.figures.thinning import MOST_DRAWN
from explorer.results.estimates import PRCurve


def curve(n: int = 60, error: float | None = None) -> PRCurve:
    lam = np.geomspace(0.01, 100, n)
    precision = lam / (1 + lam)
    off = np.empty(0) if error is None else np.full(n, error)
    return PRCurve("Exact", "How it was drawn.", lam, precision, precision / lam, off)


def test_one_curve_has_its_error_and_is_not_in_the_legend() -> None:
    chart = pr_curves_chart({"Exact": curve(error=0.03)})
    band, line, marks = chart.layers
    assert isinstance(band, Band)
    assert ((band.low <= band.high) & (band.low >= 0) & (band.high <= 1)).all()
    assert np.all(np.diff(band.x) >= 0)
    assert isinstance(line, Line)
    assert line.name == ""
    assert isinstance(marks, Points)
    assert chart.subtitle == "How it was drawn. ± 0.03"


def test_several_curves_have_colours_and_names_of_their_own() -> None:
    chart = pr_curves_chart({"a": curve(), "b": curve(30, 0.1), "c": curve(5)})
    lines = [layer for layer in chart.layers if isinstance(layer, Line)]
    assert [line.name for line in lines] == ["a", "b", "c"]
    assert len({line.colour for line in lines}) == 3
    assert not any(isinstance(layer, Band) for layer in chart.layers)
    assert chart.subtitle == ""


def test_every_point_tells_its_lambda_precision_and_recall() -> None:
    curves = {"a": curve(), "b": curve(5)}
    chart = pr_curves_chart(curves)
    marks = [layer for layer in chart.layers if isinstance(layer, Points)]
    assert [len(layer.x) for layer in marks] == [MARKS, 5]
    assert len(set(chart.keys)) == len(chart.keys) == MARKS + 5
    assert chart.card is not None
    assert chart.card.headings[0] == "a · λ 0.01"
    assert chart.card.headings[-1] == "b · λ 100"
    precision, recall = (row.values for row in chart.card.rows)
    np.testing.assert_allclose(np.asarray(recall)[-1], curves["b"].recall[-1])
    assert len(precision) == len(chart.keys)
    keys = np.concatenate([np.asarray(layer.key) for layer in marks])
    assert keys.tolist() == list(range(len(chart.keys)))


def test_long_curves_are_thinned_and_no_curve_is_an_empty_chart() -> None:
    (line, _) = pr_curves_chart({"a": curve(10 * MOST_DRAWN)}).layers
    assert isinstance(line, Line)
    assert len(line.x) == MOST_DRAWN
    assert not pr_curves_chart({}).layers
