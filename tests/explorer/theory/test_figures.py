"""The pictures of a comparison show its numbers, and finite ones only."""

from __future__ import annotations

import math

import pytest

from explorer.theory import compare
from explorer.theory.figures import (
    LABELS,
    curve_figure,
    divergence_figure,
    frontier_figure,
    laws_figure,
    order_label,
    pr_divergence_figure,
)

SKEWED = ([0.5, 0.3, 0.2, 0.0], [0.1, 0.2, 0.5, 0.2])


def test_the_curves_run_from_axis_to_axis() -> None:
    before, after = curve_figure(compare(*SKEWED)).data
    assert (before.x[0], before.y[0]) == (pytest.approx(1.0), 0.0)
    assert (before.x[-1], before.y[-1]) == (0.0, pytest.approx(0.8))
    assert after.y[-1] == pytest.approx(1.0)


@pytest.mark.parametrize("kind", ["exclusive", "inclusive"])
def test_frontiers_of_disjoint_laws_draw_finite_points_only(kind: str) -> None:
    figure = frontier_figure(compare([1.0, 0.0], [0.0, 1.0]), kind)
    assert len(figure.data) == 4
    assert all(value < float("inf") for trace in figure.data for value in (*trace.x, *trace.y))


def test_orders_are_written_as_in_the_papers() -> None:
    assert [order_label(order) for order in (0.5, 1.0, 2.0, math.inf)] == ["½", "1", "2", "∞"]


def test_the_bars_are_the_three_laws() -> None:
    comparison = compare(*SKEWED, budget=3.0)
    bars = laws_figure(comparison).data
    assert [bar.name for bar in bars] == ["real", "model", "refined, K = 3"]
    for bar, law in zip(bars, (comparison.real, comparison.model, comparison.refined.law), strict=True):
        assert tuple(bar.y) == law
        assert list(bar.x) == ["1", "2", "3", "4"]


def test_the_pr_divergence_is_drawn_over_positive_trade_offs() -> None:
    figure = pr_divergence_figure(compare([0.5, 0.3, 0.2], [0.2, 0.2, 0.6], [0.0, 0.5, 1.0, 2.0]))
    (line,) = figure.data
    assert list(line.x) == [0.5, 1.0, 2.0]  # a logarithmic axis has no 0
    assert list(line.y) == pytest.approx([0.05, 0.4, 0.2])
    assert figure.layout.xaxis.type == "log"


def test_frontiers_have_one_line_an_order_with_losses_to_the_laws_as_axes() -> None:
    comparison = compare([0.5, 0.3, 0.2], [0.2, 0.2, 0.6])
    for kind in ("exclusive", "inclusive"):
        figure = frontier_figure(comparison, kind)
        assert [line.name for line in figure.data] == ["α = ½", "α = 1", "α = 2", "α = ∞"]
        chosen = [frontier for frontier in comparison.frontiers if frontier.kind == kind]
        for line, frontier in zip(figure.data, chosen, strict=True):
            assert [(y, x) for x, y in zip(line.x, line.y, strict=True)] == list(frontier.points)


def test_infinite_divergences_are_named_and_not_drawn() -> None:
    figure = divergence_figure(compare(*SKEWED))
    drawn = {bar.name: dict(zip(bar.y, bar.x, strict=True)) for bar in figure.data}
    assert set(drawn) == {"model", "refined, K = 2"}
    for values in drawn.values():
        assert set(values) == set(LABELS.values()) - {"reverse KL", "Jeffreys"}
    assert figure.layout.title.subtitle.text == "infinite: reverse KL, Jeffreys"
    finite = divergence_figure(compare([0.5, 0.5], [0.4, 0.6]))
    assert "nats" in finite.layout.title.subtitle.text
    assert len(finite.data[0].x) == len(LABELS)
