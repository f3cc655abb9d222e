"""Figure 1 of Simon et al. 2019: modes invented, dropped, and both, on the line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from explorer.reproduce.grids import MODEL, REAL, Grid
from explorer.reproduce.papers import SIMON
from explorer.reproduce.record import Panel, Reproduction

if TYPE_CHECKING:
    from trainables.sources import GaussianMixture

__all__ = ["CASES", "FIGURES", "modes"]

Modes = Mapping[float, float]
CASES: Sequence[tuple[str, Modes, Modes]] = (
    ("modes invented", {-3.0: 0.6, 0.0: 0.4}, {-3.0: 0.36, 0.0: 0.24, 3.0: 0.4}),
    ("modes dropped", {-3.0: 0.36, 0.0: 0.24, 3.0: 0.4}, {-3.0: 0.6, 0.0: 0.4}),
    ("both, and reweighted", {-6.0: 0.2, -3.0: 0.6, 0.0: 0.2}, {-3.0: 0.25, 0.0: 0.5, 3.0: 0.25}),
)
"""Title, P and Q: the place of every mode and its mass."""
SIGMA = 0.35
SPAN = (-9.0, 6.0)


def modes() -> Sequence[Panel]:
    """Three pairs of mixtures above, their exact curves below."""
    import torch

    from trainables.precision_recall import curve_quadrature, equiangular_grid
    from trainables.studies import density

    titles = [title for title, _, _ in CASES]
    grid = Grid([*titles, *[""] * len(titles)], rows=2, height=520, gap=0.05)
    x = np.linspace(*SPAN, 401)
    nodes = torch.as_tensor(x)
    told = []
    for i, (title, real, model) in enumerate(CASES):
        p, q = _mixture(real), _mixture(model)
        laws, curves = grid.cell(i), grid.cell(i + len(CASES))
        laws.density(x, density(p, nodes).exp().numpy(), "P", REAL)
        laws.density(x, density(q, nodes).exp().numpy(), "Q", MODEL)
        laws.axes(
            {"showticklabels": False, "ticks": ""}, {"showticklabels": False, "ticks": "", "range": [0, 0.74]}
        )
        curve = curve_quadrature(
            partial(density, p),
            partial(density, q),
            SPAN,
            equiangular_grid(401),
            panels=400,
        )
        curves.set_below(curve.precision, curve.recall, "pairs attained", "#009e73")
        curves.unit_square(y_title="recall" if i == 0 else None)
        told.append(f"{title}: {curve.precision.max():.2f} and {curve.recall.max():.2f}")
    caption = (
        "Continuous laws need no quantising: α_λ = ∫ min(λp, q). Inventing modes costs precision alone, dropping them "
        "recall alone; where weights differ too, the corner becomes a trade-off. Largest precision and recall, "
        f"{'; '.join(told)}. The paper prints neither modes nor weights: ours are Gaussians of σ = {SIGMA:g}, 3 apart."
    )
    return [Panel(grid.figure, caption)]


def _mixture(modes: Modes) -> GaussianMixture:
    import torch

    from trainables.sources import GaussianMixture

    means = torch.tensor(list(modes), dtype=torch.float64)[:, None]
    return GaussianMixture(means, torch.tensor(list(modes.values()), dtype=torch.float64), SIGMA)


FIGURES = (
    Reproduction(
        "simon-1",
        SIMON,
        "Figure 1 (its page depends on the edition)",
        "Modes invented, dropped, and both",
        modes,
    ),
)
