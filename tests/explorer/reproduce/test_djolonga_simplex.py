"""Walks through the simplex: the frontier of order ∞ is the PR curve, and its points are ratios of lengths."""

from __future__ import annotations

import math

import numpy as np
import pytest

from explorer.reproduce.djolonga_simplex import CHOSEN, ORDERS, P, Q, flat, precision_and_recall
from tests.explorer.reproduce.built import built, traces
from trainables.precision_recall import frontier_discrete


def test_the_triangle_is_equilateral() -> None:
    x, y = flat(np.eye(3))
    sides = np.hypot(np.diff(x, append=x[0]), np.diff(y, append=y[0]))
    np.testing.assert_allclose(sides, 1)


def test_all_paths_lead_from_p_to_q() -> None:
    ends = [np.array(flat(law)) for law in (P, Q)]
    paths = {name: t for name, t in traces("djolonga-3").items() if name.endswith("clusive")}
    assert len(paths) == 2 * len(ORDERS)
    for path in paths.values():
        np.testing.assert_allclose((path.x[0], path.y[0]), ends[0], atol=5e-3)
        np.testing.assert_allclose((path.x[-1], path.y[-1]), ends[1], atol=5e-3)


def test_the_exclusive_frontier_of_order_infinity_is_the_pr_curve() -> None:
    """The caption's claim, at the points between the straight ends."""
    lines = [t for t in built("djolonga-3")[0].figure.data if t.name == "α = ∞"]
    (frontier,) = (t for t in lines if t.line.dash == "solid")
    points = traces("djolonga-3")["PRD of Sajjadi et al."]
    inside = [(x, y) for x, y in zip(points.x, points.y, strict=True) if x < 1 and y < 1]
    assert len(inside) >= 10
    order = np.argsort(frontier.x)
    for x, y in inside:
        assert np.interp(x, np.asarray(frontier.x)[order], np.asarray(frontier.y)[order]) == pytest.approx(
            y, abs=2e-3
        )
        lam = x / y
        assert x == pytest.approx(np.minimum(lam * P, Q).sum(), abs=1e-4)


def test_frontiers_fall_with_the_order() -> None:
    """Rényi divergences rise with their order, so no point of a higher order dominates."""
    for dash in ("solid", "dash"):
        lines = [
            t
            for t in built("djolonga-3")[0].figure.data
            if t.name and t.name[4:] in ("0.5", "1", "2", "5", "∞")
        ]
        lines = [t for t in lines if t.line.dash == dash]
        heights = []
        for line in lines:
            order = np.argsort(line.x)
            heights.append(np.interp(0.7, np.asarray(line.x)[order], np.asarray(line.y)[order]))
        assert len(heights) == len(ORDERS)
        assert heights == sorted(heights, reverse=True)


def test_coordinates_follow_the_kind() -> None:
    """Exclusive: the divergence to Q is lost precision; inclusive: it is lost recall (a mode of P that Q drops)."""
    p, q = np.array([0.5, 0.5]), np.array([0.999, 0.001])
    for kind in ("exclusive", "inclusive"):
        precision, recall = precision_and_recall(
            frontier_discrete(p, q, 1.0, kind, np.array([0.1, 1.0, 10.0]))
        )
        area_like = (precision * recall).max()
        assert area_like < 0.9
        assert recall[np.abs(precision - 0.95).argmin()] < 0.9
    exclusive = precision_and_recall(frontier_discrete(p, q, math.inf, "exclusive", np.array([1e3])))
    assert exclusive[0][0] == pytest.approx(1)
    assert exclusive[1][0] == pytest.approx(0.5 / 0.999)


def test_the_marked_point_is_a_ratio_of_lengths_on_the_curve() -> None:
    drawn = traces("djolonga-4")
    marked = drawn["(‖q-q′‖/‖r-q′‖, ‖p-p′‖/‖r-p′‖)"]
    alpha = np.minimum(CHOSEN * P, Q).sum()
    assert (marked.x[0], marked.y[0]) == pytest.approx((alpha, alpha / CHOSEN), abs=1e-6)

    def at(name):
        return np.array([drawn[name].x[0], drawn[name].y[0]])

    for law, share in (("p", alpha / CHOSEN), ("q", alpha)):
        edge = at(f"{law}′")
        # The plane keeps ratios of lengths along a line.
        assert np.linalg.norm(at(law) - edge) / np.linalg.norm(at("r") - edge) == pytest.approx(
            share, abs=1e-6
        )
        assert f"{share:.3f}" in built("djolonga-4")[0].caption
