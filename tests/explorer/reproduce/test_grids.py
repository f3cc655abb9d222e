"""Small pictures side by side draw what they are given, each in its place, each name once in the legend."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.figures.theme import SCALE
from explorer.reproduce.grids import MODEL, REAL, Grid, shades, translucent

X = np.linspace(0.0, 1.0, 5)


def test_pictures_are_numbered_row_by_row() -> None:
    grid = Grid(["a", "b", "c", "d"], rows=2)
    for i in range(4):
        grid.cell(i).line(X, X + i, f"line {i}", REAL)
    assert [note.text for note in grid.figure.layout.annotations] == ["a", "b", "c", "d"]
    assert [trace.xaxis for trace in grid.figure.data] == ["x", "x2", "x3", "x4"]
    np.testing.assert_allclose(grid.figure.data[2].y, X + 2)


def test_a_name_stands_in_the_legend_once() -> None:
    grid = Grid(["a", "b"])
    for i in range(2):
        grid.cell(i).line(X, X, "truth", REAL)
    grid.cell(0).point((0.5, 0.5), "silent", REAL, legend=False)
    grid.cell(1).point((0.5, 0.5), "silent", REAL)
    assert [trace.showlegend for trace in grid.figure.data] == [True, False, False, True]
    assert {trace.legendgroup for trace in grid.figure.data[:2]} == {"truth"}


def test_laws_stand_beside_each_other() -> None:
    grid = Grid(["a"])
    grid.cell(0).bars({"P": (np.array([0.25, 0.75]), REAL), "Q": (np.array([1.0, 0.0]), MODEL)})
    first, second = grid.figure.data
    assert (first.type, list(first.x), list(first.y)) == ("bar", [1, 2], [0.25, 0.75])
    assert second.marker.color == translucent(MODEL, 0.75)
    assert first.offsetgroup != second.offsetgroup


def test_a_set_reaches_both_axes_below_its_curve() -> None:
    grid = Grid(["a"])
    grid.cell(0).set_below(np.array([0.8, 0.2, 0.8]), np.array([0.3, 0.9, 0.4]), "set", REAL)
    (drawn,) = grid.figure.data
    assert list(drawn.x) == [0.0, 0.2, 0.8, 0.8, 0.8]
    assert list(drawn.y) == [0.9, 0.9, 0.4, 0.3, 0.0]
    assert drawn.fill == "tozeroy"


def test_points_dots_and_densities() -> None:
    grid = Grid(["a", "b"])
    cell = grid.cell(1)
    cell.point((0.25, 0.5), "p", REAL, text="p", beside="top left")
    cell.dots(X, 1 - X, "dots", MODEL)
    cell.density(X, X**2, "law", REAL)
    point, dots, law = grid.figure.data
    assert (point.x[0], point.y[0], point.text[0], point.textposition) == (0.25, 0.5, "p", "top left")
    assert dots.mode == "markers"
    np.testing.assert_allclose(dots.y, 1 - X)
    assert law.fill == "tozeroy"
    np.testing.assert_allclose(law.y, X**2, atol=1e-5)


def test_axes_belong_to_their_picture() -> None:
    grid = Grid(["a", "b"])
    grid.cell(1).unit_square("precision", "recall")
    grid.cell(0).equal_scales()
    layout = grid.figure.layout
    assert (layout.xaxis2.title.text, layout.yaxis2.title.text) == ("precision", "recall")
    assert layout.xaxis.title.text is None
    assert (layout.yaxis.scaleanchor, layout.yaxis2.scaleanchor) == ("x", None)


@pytest.mark.parametrize("count", [1, 3, 8])
def test_shades_go_through_the_scale(count: int) -> None:
    found = shades(count)
    assert len(found) == count
    assert found[0] == SCALE[0]
    assert count == 1 or found[-1] == SCALE[-1]
    assert translucent("#ff8000", 0.5) == "rgba(255, 128, 0, 0.5)"
