"""The figure of divergence frontiers: a line per kind, closed to the axes as its area is."""

from __future__ import annotations

import pytest

from explorer.figures.frontiers import frontier_figure

POINTS = {"tilt": [1e-9, 1.0, 1e9], "recall": [1.0, 0.8, 0.4], "precision": [0.3, 0.7, 1.0]}


def test_every_frontier_is_a_line_and_the_diagonal_is_what_no_overlap_leaves() -> None:
    figure = frontier_figure({"inclusive": POINTS, "exclusive": POINTS}, 1.0)
    assert [trace.name for trace in figure.data] == ["inclusive, no overlap", "inclusive", "exclusive"]
    assert (list(figure.data[0].x), list(figure.data[0].y)) == ([0, 1], [1, 0])
    assert figure.layout.title.text == "Divergence frontiers, order α = 1"


def test_a_line_is_closed_to_both_axes() -> None:
    line = frontier_figure({"inclusive": POINTS}, 2.0).data[1]
    assert list(line.x) == [1.0, 1.0, 0.8, 0.4, 0.0]
    assert list(line.y) == [0.0, 0.3, 0.7, 1.0, 1.0]
    assert list(line.customdata) == pytest.approx([1e-9, 1e-9, 1.0, 1e9, 1e9])


def test_it_does_not_matter_which_way_recall_goes_along_the_tilt() -> None:
    turned = {"tilt": POINTS["tilt"], **{key: POINTS[key][::-1] for key in ("recall", "precision")}}
    one, other = frontier_figure({"exclusive": POINTS, "inclusive": turned}, 1.0).data[1:]
    assert list(one.x) == list(other.x)
    assert list(one.y) == list(other.y)
    assert list(other.customdata) == list(one.customdata)[::-1]


def test_names_are_escaped_and_many_points_thinned() -> None:
    many = {key: [i / 20_000 for i in range(1, 20_001)] for key in POINTS}
    line = frontier_figure({"<b>x</b>": many}, 0.5).data[1]
    assert "<b>" not in line.name
    assert len(line.x) < 5_000
