"""One target and two proposals on the line, on which rejection at a budget is exact (thesis, figures 6.1 to 6.6).

The thesis prints no parameters, only what comes of them: plain rejection keeps 45% of the proposals and, once they
are a little narrower on the right, 8%; discriminator rejection keeps 25% at γ = -1.7 and 50% at γ = -3.6. The laws
here are two Gaussians and a normal law with a deviation of its own on either side, their parameters found so that
all four numbers come out when they are rounded as printed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from trainables.rejection import Refined
from trainables.studies.line import Line, normal_log_density

__all__ = [
    "EXAMPLE_WORDS",
    "Pair",
    "covering_pair",
    "narrower_pair",
    "refined_laws",
    "two_piece_log_density",
]

WEIGHTS, MEANS, SIGMAS = (0.38, 0.62), (-2.5, 2.5), (1.0, 2.1)
"""The target: 0.38 N(-2.5, 1) + 0.62 N(2.5, 2.1²)."""

MODE, LEFT, RIGHT, NARROWER = -0.4, 6.5, 4.1, 2.5
"""The proposals: highest at -0.4, σ = 6.5 to the left of it, and 4.1 or 2.5 to the right."""

EXAMPLE_WORDS = (
    f"P = {WEIGHTS[0]:g} N({MEANS[0]:g}, 1) + {WEIGHTS[1]:g} N({MEANS[1]:g}, {SIGMAS[1]:g}²); the proposal is "
    f"highest at {MODE:g} and falls off like a normal law of σ = {LEFT:g} to the left"
)


@dataclass(frozen=True, eq=False)
class Pair:
    """Target and proposal as masses on common nodes of the line: p and q, shapes (n,), each summing to 1."""

    line: Line
    p: Tensor
    q: Tensor

    def density(self, masses: Tensor) -> Tensor:
        """The density at the nodes of a law given by its masses; (…, n) to (…, n)."""
        return masses / self.line.weights


def covering_pair() -> Pair:
    """The target and the proposal that covers both modes: M = sup p/p̂ is 2.2."""
    return _pair(RIGHT)


def narrower_pair() -> Pair:
    """The target and the proposal that is narrower on the right, where the target is left over: M is 13."""
    return _pair(NARROWER)


def two_piece_log_density(x: Tensor, mode: float, left: float, right: float) -> Tensor:
    """log of the normal law with deviation `left` below its mode and `right` above, continuous there; (n,) to (n,).

    p(x) = √(2/π)/(σ₁+σ₂) · e^{-(x-m)²/2σ²}, σ = σ₁ for x < m and σ₂ above (Fechner).
    """
    sigma = torch.where(x < mode, left, right)
    height = math.log(2 / math.pi) / 2 - math.log(left + right)
    return height - ((x - mode) / sigma).square() / 2


def refined_laws(
    pair: Pair, budgets: Sequence[float], refine: Callable[[Tensor, Tensor, float], Refined]
) -> Tensor:
    """The proposal refined at every budget K, (number of budgets, n): rows to be compared with P."""
    return torch.stack([refine(pair.p, pair.q, budget).law for budget in budgets])


def _pair(right: float) -> Pair:
    line = Line.around(0.0, 8.0, 40.0, 4001)
    mu, sigma = torch.tensor([MEANS, SIGMAS], dtype=torch.float64)
    weights = torch.tensor(WEIGHTS, dtype=torch.float64)
    target = torch.logsumexp(weights.log()[:, None] + normal_log_density(line.x, mu, sigma), dim=0)
    proposal = two_piece_log_density(line.x, MODE, LEFT, right)
    return Pair(line, line.masses(target), line.masses(proposal))
