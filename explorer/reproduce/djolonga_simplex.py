"""Figures 3 and 4 of Djolonga et al. 2020: frontiers as walks through the probability simplex."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from explorer.reproduce.drawing import Array
from explorer.reproduce.grids import MODEL, REAL, TRUTH, Cell, Grid, shades
from explorer.reproduce.papers import DJOLONGA
from explorer.reproduce.record import Panel, Reproduction

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.precision_recall import Frontier
    from trainables.precision_recall.frontiers import Kind

__all__ = ["FIGURES", "flat", "points_of_prd", "precision_and_recall", "walks"]

P = np.array([0.62, 0.28, 0.10])
Q = np.array([0.08, 0.34, 0.58])
ORDERS = (0.5, 1.0, 2.0, 5.0, math.inf)
GEODESIC = "#d55e00"
CHOSEN = 0.9
"""The trade-off λ of the law r that Figure 4 marks."""


def flat(laws: Array) -> tuple[Array, Array]:
    """Laws on three states (…, 3) as points of an equilateral triangle: first left, second on top, third right."""
    return laws[..., 2] + laws[..., 1] / 2, laws[..., 1] * math.sqrt(3) / 2


def precision_and_recall(frontier: Frontier) -> tuple[Array, Array]:
    """(e^{-loss of precision}, e^{-loss of recall}): which of the two divergences is which depends on the kind."""
    return frontier.precision_and_recall()


def walks() -> Sequence[Panel]:
    """Figure 3: paths between two laws on three states, and the frontiers they generate."""
    import torch

    from trainables.precision_recall import curve_discrete, equiangular_grid, frontier_discrete, log_between

    tilts = torch.linspace(-7, 7, 141, dtype=torch.float64).exp()
    grid = Grid(["inclusive frontiers", "paths from p to q", "exclusive frontiers"], height=430, gap=0.06)
    left, middle, right = (grid.cell(i) for i in range(3))
    _triangle(middle)
    p, q = torch.as_tensor(P), torch.as_tensor(Q)
    for order, colour in zip(ORDERS, shades(len(ORDERS)), strict=True):
        name = f"α = {_written(order)}"
        kinds: tuple[tuple[Cell, Kind, str], ...] = (
            (left, "inclusive", "dash"),
            (right, "exclusive", "solid"),
        )
        for cell, kind, dash in kinds:
            frontier = frontier_discrete(P, Q, order, kind, tilts)
            cell.line(*precision_and_recall(frontier), name, colour, dash=dash, legend=kind == "exclusive")
            exponent = 1 - order if kind == "exclusive" else order
            path = flat(log_between(p.log(), q.log(), exponent, tilts).exp().numpy())
            middle.line(*path, f"{name}, {kind}", colour, dash=dash, width=1.8, legend=False)
    middle.point(_place(p), "p", REAL, text="p", beside="middle left", legend=False)
    middle.point(_place(q), "q", MODEL, text="q", beside="middle right", legend=False)
    curve = curve_discrete(P, Q, equiangular_grid(15))
    right.dots(curve.precision, curve.recall, "PRD of Sajjadi et al.", GEODESIC)
    for cell, sign in ((left, "·‖R"), (right, "R‖·")):
        cell.unit_square(f"precision, e<sup>-D({sign})</sup>", f"recall, e<sup>-D({sign})</sup>")
    caption = (
        "Two laws on three states in the middle, with the paths along which R walks from p to q: dashed for the "
        "inclusive frontiers on the left, solid for the exclusive ones on the right. At every step the two "
        "divergences to p and q give a point. The exclusive frontier of order ∞ is the PR curve (points), but for "
        "the straight ends of the latter. Frontiers are drawn as e to minus the divergence, so that up and right is "
        "better; the laws are ours."
    )
    return [Panel(grid.figure, caption)]


def points_of_prd() -> Sequence[Panel]:
    """Figure 4: precision and recall as ratios of lengths in the simplex."""
    import torch

    from trainables.precision_recall import boundary_point, curve_discrete, equiangular_grid, log_between

    p, q = torch.as_tensor(P), torch.as_tensor(Q)
    tilts = torch.linspace(-7, 7, 141, dtype=torch.float64).exp()
    path = log_between(p.log(), q.log(), -math.inf, tilts).exp()
    r = log_between(p.log(), q.log(), -math.inf, torch.tensor([CHOSEN], dtype=torch.float64))[0].exp()
    grid = Grid(["the simplex", "the curve"], height=430, widths=[0.55, 0.45])
    cell, right = grid.cell(0), grid.cell(1)
    _triangle(cell)
    cell.line(*flat(path.numpy()), "geodesic: r ∝ min(p, q/λ)", GEODESIC, width=3)
    shares = {}
    for name, law, colour, beside in (("p", p, REAL, "top left"), ("q", q, MODEL, "top right")):
        edge = boundary_point(r, law)
        ends = flat(torch.stack([r, edge]).numpy())
        cell.line(*ends, f"ray r → {name} → {name}′", colour, width=1.6)
        cell.point(_place(law), name, colour, text=name, beside=beside, legend=False)
        cell.point(
            _place(edge),
            f"{name}′",
            colour,
            symbol="diamond",
            text=f"{name}′",
            beside=beside,
            legend=False,
        )
        shares[name] = float((law - edge).norm() / (r - edge).norm())
    cell.point(_place(r), "r", GEODESIC, text="r", beside="top left", legend=False)
    curve = curve_discrete(P, Q, equiangular_grid(101))
    right.line(curve.precision, curve.recall, "PR curve of p and q", TRUTH)
    right.point((shares["q"], shares["p"]), "(‖q-q′‖/‖r-q′‖, ‖p-p′‖/‖r-p′‖)", GEODESIC)
    right.unit_square()
    caption = (
        "For a law r the best decompositions p = ρr + (1-ρ)p′ and q = πr + (1-π)q′ have p′ and q′ on the boundary, "
        "where the rays from r through p and q leave the simplex (the caption in print exchanges the two rays). "
        f"Recall and precision are ratios of lengths, ‖p-p′‖/‖r-p′‖ = {shares['p']:.3f} and ‖q-q′‖/‖r-q′‖ = "
        f"{shares['q']:.3f}: the point of the PR curve at λ = {CHOSEN:g}, on the right. "
        "The best r lie on the geodesic. The laws are ours."
    )
    return [Panel(grid.figure, caption)]


def _place(law: Tensor) -> tuple[float, float]:
    x, y = flat(law.numpy())
    return float(x), float(y)


def _triangle(cell: Cell) -> None:
    corners = np.eye(3)[[0, 1, 2, 0]]
    cell.line(*flat(corners), "the simplex", TRUTH, width=1.4, legend=False, hoverinfo="skip")
    cell.axes(
        {"visible": False, "range": [-0.06, 1.06]},
        {"visible": False, "range": [-0.08, 0.95]},
    )
    cell.equal_scales()


def _written(order: float) -> str:
    return "∞" if math.isinf(order) else f"{order:g}"


FIGURES = (
    Reproduction(
        "djolonga-3",
        DJOLONGA,
        "Figure 3 (its page depends on the edition)",
        "Frontiers are walks between two laws",
        walks,
    ),
    Reproduction(
        "djolonga-4",
        DJOLONGA,
        "Figure 4 (its page depends on the edition)",
        "Precision and recall as lengths",
        points_of_prd,
    ),
)
