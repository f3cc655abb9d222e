"""Curves and histories of several runs: a colour each, named once, what cannot be drawn left out."""

from __future__ import annotations

import math

import pytest

from explorer.figures.compared import Curves, alpha_curve, compared_curves, compared_histories
from explorer.figures.theme import CATEGORIES
from explorer.store.schema import TRADE_OFFS

ROWS = [(0.9, 0.1, 0.1), (0.5, 0.5, 1.0), (0.1, 0.9, 10.0)]


def test_each_run_has_a_colour_and_its_seeds_have_it_too() -> None:
    figure = compared_curves({"A": Curves(ROWS, [ROWS[:2], ROWS[1:]]), "B": Curves(ROWS)})
    assert figure is not None
    assert [(line.line.color, line.showlegend) for line in figure.data] == [
        (CATEGORIES[0], False),
        (CATEGORIES[0], False),
        (CATEGORIES[0], True),
        (CATEGORIES[1], True),
    ]
    assert "fullData.name" in figure.data[-1].hovertemplate, "the tooltip says whose point it is"


def test_without_any_curve_there_is_no_figure() -> None:
    assert compared_curves({"A": Curves([]), "B": Curves([])}) is None


def test_alphas_are_a_curve_whose_recall_stays_below_one() -> None:
    curve = alpha_curve([min(1.0, lam) for lam in TRADE_OFFS])
    assert curve[0] == pytest.approx((1.0, 0.001, 0.001))
    assert curve[-1] == pytest.approx((0.001, 1.0, 1000))
    assert alpha_curve(()) == alpha_curve((0.5,)) == []


def test_histories_have_a_panel_per_metric_and_one_name_per_run() -> None:
    rows = [(1, 0.1), (2, math.nan), (3, 0.3)]
    figure = compared_histories(
        {"A": {"x": rows, "y": rows}, "B": {"y": rows, "z": rows[:1]}}, ["x", "y", "z"], str.upper
    )
    assert figure is not None
    assert [(line.name, line.showlegend) for line in figure.data] == [("A", True), ("A", False), ("B", True)]
    assert [heading.text for heading in figure.layout.annotations] == ["X", "Y"]
    assert list(figure.data[0].x) == [1, 3]
    assert compared_histories({"A": {"x": rows[:1]}}, ["x"]) is None
