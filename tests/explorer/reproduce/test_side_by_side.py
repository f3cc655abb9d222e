"""Small pictures in one: traces, axes and titles stay with their picture, a name stands in the legend once."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from explorer.reproduce.drawing import lines
from explorer.reproduce.side_by_side import side_by_side

X = np.linspace(0, 1, 5)


def test_pictures_keep_their_traces_titles_and_axes() -> None:
    parts = {str(i): lines(X, {"a": X + i, f"b{i}": X}, f"x{i}", f"y{i}", (0, i + 1)) for i in range(3)}
    figure = side_by_side(parts, columns=2, height=200)
    assert [note.text for note in figure.layout.annotations] == ["0", "1", "2"]
    assert [t.yaxis for t in figure.data] == ["y", "y", "y2", "y2", "y3", "y3"]
    assert [t.name for t in figure.data if t.showlegend] == ["a", "b0", "b1", "b2"]
    assert figure.layout.xaxis3.title.text == "x2"
    assert tuple(figure.layout.yaxis2.range) == (0, 2)
    assert figure.layout.height == 70 + 2 * 200
    np.testing.assert_allclose(figure.data[2].y, X + 1)


def test_a_name_that_a_picture_hides_does_not_use_up_its_place_in_the_legend() -> None:
    hidden = go.Figure(go.Scatter(x=X, y=X, name="a", showlegend=False))
    shown = go.Figure(go.Scatter(x=X, y=X, name="a"))
    figure = side_by_side({"left": hidden, "right": shown})
    assert [t.showlegend for t in figure.data] == [False, True]
    assert [t.legendgroup for t in figure.data] == ["a", "a"]


def test_equal_scales_hold_within_each_picture() -> None:
    part = go.Figure(go.Scatter(x=X, y=X, name="a"))
    part.update_yaxes(scaleanchor="x")
    figure = side_by_side({"left": part, "right": part})
    assert (figure.layout.yaxis.scaleanchor, figure.layout.yaxis2.scaleanchor) == ("x", "x2")


def test_logarithmic_axes_stay_so() -> None:
    part = lines(X + 1, {"a": X + 1}, "x", "y")
    part.update_xaxes(type="log", tickvals=[1, 2])
    figure = side_by_side({"left": lines(X, {"a": X}, "x", "y"), "right": part})
    assert (figure.layout.xaxis.type, figure.layout.xaxis2.type) == (None, "log")
    assert tuple(figure.layout.xaxis2.tickvals) == (1, 2)
