"""A chart as a still figure: every layer is drawn in its place and colour, axes are the chart's own."""

from __future__ import annotations

import math

import numpy as np
import pytest

from explorer.figures.chart import Area, Axis, Band, Chart, Layer, Line, Panel, Paths, Points, Text
from explorer.figures.still import still_figure
from explorer.figures.theme import ACCENT, CATEGORIES, CONTRAST

X = np.array([1.0, 2.0, 4.0])
Y = np.array([0.1, 0.4, 0.2])
AXIS = Axis("x", 0.0, 5.0)
UNSEEN = Paths(X[None], Y[None], np.array([-1]))
"""Drawn for what is pointed at alone."""


def drawn(*layers: Layer) -> list[dict[str, object]]:
    return [trace.to_plotly_json() for trace in still_figure(Chart(AXIS, AXIS, layers)).data]


def test_points_have_their_intervals() -> None:
    low, high = Y - 0.05, np.array([0.2, np.nan, 0.3])
    (trace,) = still_figure(
        Chart(AXIS, AXIS, [Points(X, Y, colour="contrast", radius=3.0, y_low=low, y_high=high, name="seen")])
    ).data
    assert (trace.mode, trace.name, trace.marker.color, trace.marker.size) == (
        "markers",
        "seen",
        CONTRAST,
        6.0,
    )
    np.testing.assert_allclose(trace.x, X)
    np.testing.assert_allclose(trace.error_y.array, [0.1, 0.0, 0.1])
    np.testing.assert_allclose(trace.error_y.arrayminus, 0.05)
    assert trace.error_x.array is None


def test_lines_keep_their_dash_and_their_gaps() -> None:
    gap = np.array([0.1, np.nan, 0.2])
    (trace,) = still_figure(Chart(AXIS, AXIS, [Line(X, gap, "#123456", 1.5, "dot", 0.5, markers=True)])).data
    assert (trace.mode, trace.line.dash, trace.line.width, trace.line.color, trace.opacity) == (
        "lines+markers",
        "dot",
        1.5,
        "#123456",
        0.5,
    )
    assert math.isnan(trace.y[1])
    assert not trace.showlegend, "without a name it is not in the legend"


def test_a_band_is_one_polygon_between_its_ends() -> None:
    (trace,) = still_figure(Chart(AXIS, AXIS, [Band(X, Y, Y + 1, "accent", 0.2, "interval")])).data
    assert (trace.fill, trace.fillcolor, trace.opacity) == ("toself", ACCENT, 0.2)
    np.testing.assert_allclose(trace.x, [1, 2, 4, 4, 2, 1])
    np.testing.assert_allclose(trace.y, [0.1, 0.4, 0.2, 1.2, 1.4, 1.1])


def test_a_gap_breaks_a_band_in_two() -> None:
    x = np.arange(5.0)
    low = np.array([0.0, 0.0, np.nan, 0.0, 0.0])
    (trace,) = still_figure(Chart(AXIS, AXIS, [Band(x, low, low + 1)])).data
    places = [[None if math.isnan(value) else value for value in one] for one in (trace.x, trace.y)]
    assert places == [[0, 1, 1, 0, None, 3, 4, 4, 3], [0, 0, 1, 1, None, 0, 0, 1, 1]]


def test_areas_texts_and_paths() -> None:
    area, text = drawn(
        Area(X, Y, "category:2", 0.3, "real"), Text(X, Y, ["a", "b", "c"], "muted", "start"), UNSEEN
    )
    assert (area["fill"], area["fillcolor"]) == ("toself", CATEGORIES[2])
    assert (text["mode"], list(text["text"]), text["textposition"]) == (  # type: ignore[call-overload]
        "text",
        ["a", "b", "c"],
        "middle right",
    )


@pytest.mark.parametrize("role", ["accent", "contrast", "muted", "text", "grid", "category:0", "category:17"])
def test_every_role_is_a_colour(role: str) -> None:
    (trace,) = still_figure(Chart(AXIS, AXIS, [Line(X, Y, role)])).data
    assert trace.line.color.startswith(("#", "rgb"))


def test_colours_and_sizes_that_are_numbers_have_one_look() -> None:
    (trace,) = still_figure(Chart(AXIS, AXIS, [Points(X, Y, colour=X, radius=X)])).data
    assert (trace.marker.color, trace.marker.size) == (ACCENT, 10.0)


def test_axes_are_the_chart_s_own() -> None:
    grown = Axis("K", 0.9, 9.0, log=True, ticks=(1, 2, 8), labels=("one", "two", "eight"))
    layout = still_figure(Chart(grown, Axis("y", -0.1, 1.1, ticks=(0, 1)), [Line(X, Y)])).layout
    assert (layout.xaxis.type, layout.xaxis.title.text) == ("log", "K")
    assert layout.xaxis.range == pytest.approx((math.log10(0.9), math.log10(9.0)))
    assert (layout.xaxis.tickvals, layout.xaxis.ticktext) == ((1, 2, 8), ("one", "two", "eight"))
    assert (layout.yaxis.type, layout.yaxis.range, layout.yaxis.tickvals) == ("linear", (-0.1, 1.1), (0, 1))
    assert layout.yaxis.ticktext is None


def test_panels_lie_in_rows_with_their_own_axes_and_share_names() -> None:
    common = Line(X, Y, name="law")
    panels = [
        Panel(f"p{i}", [Points(X, Y + i, name="seen")], y=Axis(f"y{i}", i, i + 1.0) if i else None)
        for i in range(5)
    ]
    figure = still_figure(Chart(AXIS, AXIS, [common], "Title", "under", panels=panels), across=3)
    assert [note.text for note in figure.layout.annotations] == [f"p{i}" for i in range(5)]
    assert len(figure.data) == 10, "layers of the chart are in every panel"
    assert [trace.name for trace in figure.data if trace.showlegend] == ["law", "seen"]
    titles = [figure.layout[f"yaxis{i or ''}"].title.text for i in (1, 2, 3, 4, 5) if i != 1]
    assert figure.layout.yaxis.title.text == "x"
    assert titles == ["y1", "y2", "y3", "y4"]
    assert figure.layout.yaxis4.domain[1] < figure.layout.yaxis.domain[0], "the fourth is below the first"
    assert figure.layout.title.text == "Title<br><sup>under</sup>"
    assert still_figure(Chart(AXIS, AXIS, [common], "Title")).layout.title.text == "Title"
