"""The kinds of picture the reproductions share draw what they are given."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.figures.theme import CATEGORIES
from explorer.reproduce.drawing import Surface, densities, lines, pr_curves, surfaces, target_trace

X = np.linspace(0.0, 1.0, 5)


def _surface(name: str, best: tuple[float, float] = (1.0, 2.0)) -> Surface:
    mu, sigma = np.array([0.0, 1.0, 2.0]), np.array([1.0, 2.0])
    return Surface(name, mu, sigma, (mu[:, None] - 1) ** 2 + (sigma - 2) ** 2, best)


def test_landscapes_stand_side_by_side_with_a_star_each() -> None:
    figure = surfaces([_surface(f"part {i}", (0.5 * i, 1.0)) for i in range(4)], columns=3)
    assert [note.text for note in figure.layout.annotations] == [f"part {i}" for i in range(4)]
    contours, stars = figure.data[::2], figure.data[1::2]
    assert {t.type for t in contours} == {"contour"}
    assert [(star.x[0], star.y[0]) for star in stars] == [(0.5 * i, 1.0) for i in range(4)]
    assert figure.layout.height == 80 + 250 * 2
    assert [t.yaxis for t in contours] == ["y", "y2", "y3", "y4"]


def test_a_landscape_has_mu_across_and_is_cut_off_above() -> None:
    part = _surface("one")
    contour = surfaces([part]).data[0]
    z = np.asarray(contour.z)
    assert z.shape == (2, 3)  # a row for every σ, a column for every μ
    high = float(np.quantile(part.values, 0.6))
    low = high >= part.values.T
    np.testing.assert_allclose(z[low], part.values.T[low], atol=1e-6)
    assert z.max() <= 1.001 * high
    assert (contour.zmin, contour.zmax) == (0.0, pytest.approx(high))


def test_a_flat_landscape_can_be_drawn() -> None:
    flat = Surface("flat", np.array([0.0, 1.0]), np.array([1.0, 2.0]), np.zeros((2, 2)), (0.0, 1.0))
    contour = surfaces([flat]).data[0]
    assert contour.zmax > contour.zmin
    assert contour.contours.size > 0


def test_densities_stand_before_the_filled_target() -> None:
    figure = densities(X, X**2, {"a": X, "b": 2 * X}, dashed=["b"])
    assert [t.name for t in figure.data] == ["target P", "a", "b"]
    assert [t.fill for t in figure.data] == ["tozeroy", None, None]
    assert [t.line.dash for t in figure.data] == [None, "solid", "dash"]
    for trace, y in zip(figure.data, (X**2, X, 2 * X), strict=True):
        np.testing.assert_allclose(trace.y, y, atol=1e-6)
    np.testing.assert_allclose(target_trace(X, X**2).y, X**2, atol=1e-6)


def test_lines_keep_their_titles_and_the_colours_go_round() -> None:
    figure = lines(X, {str(i): X + i for i in range(len(CATEGORIES) + 1)}, "across", "up", (0.0, 3.0))
    assert figure.layout.xaxis.title.text == "across"
    assert figure.layout.yaxis.title.text == "up"
    assert tuple(figure.layout.yaxis.range) == (0.0, 3.0)
    assert [t.line.color for t in figure.data] == [*CATEGORIES, CATEGORIES[0]]


def test_curves_have_precision_across_and_recall_up() -> None:
    figure = pr_curves({"a": (X, 1 - X), "b": (X / 2, 1 - X)}, dashed=["a"])
    np.testing.assert_allclose(figure.data[1].x, X / 2)
    np.testing.assert_allclose(figure.data[1].y, 1 - X)
    assert [t.line.dash for t in figure.data] == ["dash", "solid"]
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("precision α", "recall β")
