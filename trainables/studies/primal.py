"""How well a critic trained for one divergence reads off another: the primal estimate of D_λ (thesis §5.2, figure 5.6).

Pairs of random mixtures in the plane, so that the true ratio p/p̂ is known. A small critic per pair is trained on
samples to maximise the dual E_P[T] - E_P̂[g*(T)]; its ratio r̂ = (g*)′(T) then gives E_P̂[f_λ(r̂)]. Training sees samples
alone; what comes of it is read by quadrature, so that truth, estimate and bound are exact for the laws on the grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle, islice

import torch
from torch import Tensor

from trainables.divergences import (
    Divergence,
    dual_bound,
    pr,
    pr_divergence,
    primal_error_bound,
    primal_estimate,
)
from trainables.sources.mixture import GaussianMixture

__all__ = ["PrimalStudy", "primal_study", "random_mixtures"]

BOX, SIGMA, COMPONENTS = 1.5, 1.0, 4
"""Means are uniform in [-1.5, 1.5]², every component has σ = 1: laws that differ, and a χ² that a critic can reach."""
REACH, CELLS = 6.0, 61
WIDTH = 16


@dataclass(frozen=True, eq=False)
class PrimalStudy:
    """What came of the critics of one auxiliary divergence g, over B pairs of laws and L trade-offs λ.

    Attributes:
        lambdas: λ, (L,).
        truth: D_λ(P‖P̂), (B, L).
        estimate: E_P̂[f_λ(r̂)], (B, L).
        gap: ε = D_g - dual of the trained critic, (B,), at least 0.
        bound: σ√(2ε/μ) of theorem 5.2.4, (B, L); μ over the ratios that occur.
    """

    lambdas: Tensor
    truth: Tensor
    estimate: Tensor
    gap: Tensor
    bound: Tensor

    @property
    def error(self) -> Tensor:
        """|D_λ - estimate|, (B, L)."""
        return (self.estimate - self.truth).abs()


def random_mixtures(count: int, generator: torch.Generator) -> list[GaussianMixture]:
    """Mixtures of four Gaussians in the plane, means uniform in a square, weights uniform on the simplex."""
    laws = []
    for _ in range(count):
        means = BOX * (2 * torch.rand(COMPONENTS, 2, generator=generator, dtype=torch.float64) - 1)
        cuts = -torch.rand(COMPONENTS, generator=generator, dtype=torch.float64).log()
        laws.append(GaussianMixture(means, cuts / cuts.sum(), SIGMA))
    return laws


def primal_study(
    div: Divergence,
    pairs: int = 8,
    lambdas: tuple[float, ...] = (0.5, 1.0, 2.0),
    *,
    samples: int = 2048,
    batch: int = 256,
    steps: int = 200,
    seed: int = 0,
) -> PrimalStudy:
    """Train a critic for g on samples of every pair, and read D_λ off it; pure in the seed, which fixes the laws too.

    Every critic has ``samples`` of each of its two laws, and goes through them ``batch`` at a time.
    """
    generator = torch.Generator().manual_seed(seed)
    real, fake = random_mixtures(pairs, generator), random_mixtures(pairs, generator)
    parameters = _critics(pairs, generator)
    at_real, at_fake = (
        torch.stack([_draw(law, samples, generator) for law in laws], dim=1).float() for laws in (real, fake)
    )
    _train(div, parameters, at_real.split(batch), at_fake.split(batch), steps)

    nodes = _nodes()
    p, q = (torch.stack([_masses(law, nodes) for law in laws]) for laws in (real, fake))
    with torch.no_grad():
        logit = _logit(parameters, nodes.float().expand(pairs, -1, -1)).double()
    critic, ratio = div.activation(logit), div.log_ratio(logit).exp()
    gap = div.discrete(p, q) - dual_bound(div, critic, critic, weights_real=p, weights_fake=q)
    lam = torch.tensor(lambdas, dtype=torch.float64)
    truth = torch.stack([pr_divergence(*laws, lam) for laws in zip(p, q, strict=True)])
    estimate = torch.stack([primal_estimate(pr(one), ratio=ratio, weights=q) for one in lambdas], dim=-1)
    # g is strongly convex on the ratios that occur, those of the critic and the true ones.
    seen = torch.cat((ratio, p / q), dim=1).clamp(min=torch.finfo(torch.float64).tiny)
    convexity = [float(div.strong_convexity_on(float(u.min()), float(u.max()))) for u in seen]
    bound = [
        [primal_error_bound(one, max(float(e), 0.0), mu) for one in lambdas]
        for e, mu in zip(gap, convexity, strict=True)
    ]
    return PrimalStudy(lam, truth, estimate, gap, torch.tensor(bound, dtype=torch.float64))


def _draw(law: GaussianMixture, count: int, generator: torch.Generator) -> Tensor:
    uniform = torch.rand(count, generator=generator, dtype=torch.float64)
    normal = torch.randn(count, law.dim, generator=generator, dtype=torch.float64)
    return law.transform(uniform, normal)


def _nodes() -> Tensor:
    """Middles of the cells of a square grid, (CELLS², 2)."""
    axis = torch.linspace(-REACH, REACH, CELLS, dtype=torch.float64)
    return torch.cartesian_prod(axis, axis)


def _masses(law: GaussianMixture, nodes: Tensor) -> Tensor:
    """The law on the nodes, normalised; (N,)."""
    return torch.softmax(law.log_prob(nodes), dim=0)


def _critics(count: int, generator: torch.Generator) -> list[Tensor]:
    """Weights and biases of `count` networks 2 → WIDTH → WIDTH → 1, stacked along the first axis."""
    parameters = []
    for inputs, outputs in ((2, WIDTH), (WIDTH, WIDTH), (WIDTH, 1)):
        scale = inputs**-0.5
        parameters.append(scale * torch.randn(count, inputs, outputs, generator=generator))
        parameters.append(torch.zeros(count, 1, outputs))
    return [parameter.requires_grad_() for parameter in parameters]


def _logit(parameters: list[Tensor], x: Tensor) -> Tensor:
    """Raw outputs w of the stacked critics at x (B, n, 2), (B, n)."""
    for i in range(0, len(parameters), 2):
        x = torch.baddbmm(parameters[i + 1], x, parameters[i])
        if i + 2 < len(parameters):
            x = torch.tanh(x)
    return x.squeeze(-1)


def _train(
    div: Divergence, parameters: list[Tensor], real: Sequence[Tensor], fake: Sequence[Tensor], steps: int
) -> None:
    """Ascend E_P[a(w)] - E_P̂[g*(a(w))] of every critic by Adam, the rate falling to 0.

    ``real`` and ``fake`` are batches (batch, B, 2), gone through again and again.
    """
    optimiser = torch.optim.Adam(parameters, lr=1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    batches = cycle(torch.cat(both).transpose(0, 1) for both in zip(real, fake, strict=True))
    for both in islice(batches, steps):
        w_real, w_fake = _logit(parameters, both).chunk(2, dim=1)
        loss = div.conjugate_of_activation(w_fake).mean(1) - div.activation(w_real).mean(1)
        optimiser.zero_grad()
        loss.sum().backward()
        optimiser.step()
        schedule.step()
