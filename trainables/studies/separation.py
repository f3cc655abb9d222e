"""The loss of a comb of ten Gaussians whose teeth are a distance θ apart, with and without OBRS.

Thesis §6.3.1, figure 6.13: rejection flattens the landscape, and local minima disappear as the budget
grows. The text gives ten modes, equal variances and θ = 1.2 and 3 as examples; spacing 2 and σ = 0.4 of the
target are ours.
"""

from __future__ import annotations

import torch
from torch import Tensor

from trainables.divergences import Divergence
from trainables.sources.mixture import GaussianMixture
from trainables.studies.line import Line, density, refined

__all__ = ["COMB", "separated", "separation_loss"]

TEETH = 10


def separated(theta: float, sigma: float = 0.4) -> GaussianMixture:
    """Ten equal Gaussians centred on 0, θ apart."""
    if not theta > 0:
        raise ValueError(f"the distance θ between modes must be positive, got {theta}")
    means = (torch.arange(TEETH, dtype=torch.float64) - (TEETH - 1) / 2) * theta
    return GaussianMixture(means[:, None], torch.full((TEETH,), 1 / TEETH, dtype=torch.float64), sigma)


COMB = separated(2.0)
"""The target: ten modes of σ = 0.4, 2 apart."""


def separation_loss(
    div: Divergence, theta: Tensor, budget: float = 1.0, *, target: GaussianMixture = COMB, nodes: int = 2401
) -> Tensor:
    """D_f(P ‖ P̃_θ) of the comb of spacing θ refined at budget K; θ (t,), result (t,)."""
    widest = max(float(theta.max()) * (TEETH - 1) / 2, target.span(0)[1]) + 10 * target.sigma
    line = Line.around(0.0, widest, widest, nodes)
    p = line.masses(density(target, line.x))
    q = torch.stack([line.masses(density(separated(float(t), target.sigma), line.x)) for t in theta])
    return div.integrand(p, refined(p, q, budget)).sum(-1)
