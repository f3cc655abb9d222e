"""Figure 2 of Djolonga et al. 2020: Rényi divergences of two Gaussians as one of them gets narrower or wider."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from explorer.reproduce.grids import TRUTH, Grid, shades
from explorer.reproduce.papers import DJOLONGA
from explorer.reproduce.record import Panel, Reproduction

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["FIGURES", "ORDERS", "gaussians"]

ORDERS = (0.2, 0.5, 1.0, 2.0, 5.0)
HIGHEST = 2.5


def gaussians() -> Sequence[Panel]:
    """D_α(P‖Q) and D_α(Q‖P) against σ_Q for P = N(0, 1) and Q = N(0, σ_Q²), in closed form."""
    import torch

    from trainables.precision_recall import renyi_gaussian

    sigma = _widths()
    zero, one = torch.zeros_like(sigma), torch.ones_like(sigma)
    grid = Grid(["D<sub>α</sub>(P ‖ Q)", "D<sub>α</sub>(Q ‖ P)"], height=400)
    for i, pair in enumerate(((one, sigma), (sigma, one))):
        cell = grid.cell(i)
        for order, colour in zip(ORDERS, shades(len(ORDERS)), strict=True):
            values = renyi_gaussian(zero, pair[0], zero, pair[1], order).numpy()
            shown = (
                values < 1.2 * HIGHEST
            )  # above, and where the divergence is infinite, it has left the picture
            cell.line(sigma.numpy()[shown], values[shown], f"α = {order:g}", colour)
        cell.line(
            np.array([1.0, 1.0]), np.array([0.0, HIGHEST]), "σ_P", TRUTH, dash="dot", width=1.2, legend=False
        )
        cell.axes({"title": {"text": "σ of Q"}, "range": [0.15, 3.05]}, {"range": [-0.05, HIGHEST]})
    caption = (
        "P = N(0, 1), Q = N(0, σ²), divergences in closed form (Gil et al. 2013). A law that puts mass where the "
        "other has little is punished, the more the larger α: left, where Q is narrower than P, and at σ² ≤ (α-1)/α "
        "beyond all bounds; right, where Q is wider, from σ² ≥ α/(α-1) on. The other way round the divergence stays "
        "small. So D_α(R‖·) keeps R where both laws have mass, and D_α(·‖R) makes it cover both."
    )
    return [Panel(grid.figure, caption)]


def _widths() -> Tensor:
    """Values of σ from 0.2 to 3, dense where a divergence of one of the orders goes to infinity, rising."""
    import torch

    steps = torch.logspace(-15, -2, 40, dtype=torch.float64)
    edges = [(order - 1) / order for order in ORDERS if order > 1]
    near = [(edge + steps).sqrt() for edge in edges] + [(1 / edge - steps).sqrt() for edge in edges]
    return torch.cat([torch.linspace(0.2, 3.0, 141, dtype=torch.float64), *near]).sort().values


FIGURES = (
    Reproduction(
        "djolonga-2",
        DJOLONGA,
        "Figure 2 (its page depends on the edition)",
        "Rényi divergences punish mass in the wrong place",
        gaussians,
    ),
)
