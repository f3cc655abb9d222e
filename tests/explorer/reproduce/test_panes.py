"""Panes side by side draw what they are given, on the axes they are meant for."""

from __future__ import annotations

import re

import numpy as np
import pytest

from explorer.reproduce.panes import (
    MODEL,
    area,
    balls,
    curve,
    dots,
    equal_axes,
    faded,
    pr_axes,
    pr_set,
    side_by_side,
)

X = np.linspace(0.0, 1.0, 5)


def test_panes_stand_in_one_row_with_their_titles_and_widths() -> None:
    figure = side_by_side(("one", "two", "three"), 333, (0.5, 0.25, 0.25))
    assert [note.text for note in figure.layout.annotations] == ["one", "two", "three"]
    assert figure.layout.height == 333
    widths = [np.diff(axis.domain)[0] for axis in figure.select_xaxes()]
    assert widths[0] == pytest.approx(2 * widths[1])
    assert widths[1] == pytest.approx(widths[2])
    assert figure.layout.legend.orientation == "h"


def test_a_faded_colour_keeps_its_hue() -> None:
    assert faded("#0a10ff", 0.25) == "rgba(10, 16, 255, 0.25)"


def test_areas_and_curves_keep_their_points() -> None:
    filled, line = (
        area(X, X**2, "a", MODEL, 0.5, width=0),
        curve(X, X**2, "b", MODEL, "dot", showlegend=False),
    )
    assert filled.fill == "tozeroy"
    assert filled.fillcolor == faded(MODEL, 0.5)
    assert filled.line.width == 0
    assert (line.line.dash, line.showlegend, line.fill) == ("dot", False, None)
    for trace in (filled, line):
        np.testing.assert_allclose(trace.x, X)
        np.testing.assert_allclose(trace.y, X**2, atol=1e-6)


def test_dots_take_more_for_their_markers() -> None:
    trace = dots(
        np.array([[1.0, 2.0], [3.0, 4.0]]), "samples", MODEL, 9, marker={"symbol": "x"}, showlegend=False
    )
    assert (list(trace.x), list(trace.y)) == ([1.0, 3.0], [2.0, 4.0])
    assert (trace.marker.symbol, trace.marker.size, trace.marker.color) == ("x", 9, MODEL)
    assert trace.mode == "markers"


def test_a_set_of_pairs_is_closed_to_both_axes() -> None:
    trace = pr_set(np.array([0.0, 0.4, 0.8]), np.array([0.9, 0.5, 0.0]))
    x, y = np.asarray(trace.x), np.asarray(trace.y)
    assert (x[0], y[0]) == (x[-1], y[-1]) == (0, 0)
    enclosed = abs(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1])) / 2
    assert enclosed == pytest.approx(0.4 * 0.7 + 0.4 * 0.25)


def test_balls_are_circles_on_the_axes_of_their_column() -> None:
    figure = side_by_side(("a", "b"))
    balls(figure, np.array([[1.0, 2.0], [0.0, 0.0]]), np.array([0.5, 3.0]), MODEL, col=2)
    (shape,) = figure.layout.shapes
    assert (shape.xref, shape.yref, shape.layer, shape.fillrule) == ("x2", "y2", "below", "nonzero")
    rings = shape.path.split("Z")[:-1]
    for ring, (x, y, r) in zip(rings, [(1.0, 2.0, 0.5), (0.0, 0.0, 3.0)], strict=True):
        numbers = np.array([float(n) for n in re.findall(r"-?\d+\.\d+", ring)]).reshape(-1, 2)
        ends, middles = numbers[::3], []
        for i in range(0, 12, 3):
            middles.append(np.array([1, 3, 3, 1]) @ numbers[i : i + 4] / 8)
        for at in (*ends, *middles):
            assert np.hypot(at[0] - x, at[1] - y) == pytest.approx(r, rel=5e-4)
        np.testing.assert_allclose(ends[0], ends[-1])


def test_axes_are_equal_in_their_own_column() -> None:
    figure = side_by_side(("a", "b"))
    equal_axes(figure, 1)
    assert figure.layout.yaxis.scaleanchor == "x"
    assert figure.layout.yaxis2.scaleanchor is None
    pr_axes(figure, 2)
    assert figure.layout.yaxis2.scaleanchor == "x2"
    assert figure.layout.xaxis2.title.text == "precision α"
    assert figure.layout.yaxis2.title.text == "recall β"
    assert figure.layout.xaxis2.range == figure.layout.yaxis2.range
