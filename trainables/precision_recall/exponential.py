"""Kullback-Leibler frontiers (α = 1) of exponential families, in closed form.

Between members of one family the exclusive path is the straight line of natural parameters, and the true
frontier. The inclusive path is the straight line of mean parameters: the best R **inside the family**, so
its points lie on or above (worse than) the unrestricted inclusive frontier, whose R is a mixture.

Reference: Djolonga et al. 2020, Proposition 4 and §6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from trainables.precision_recall.frontiers import Frontier, Kind

__all__ = ["FAMILIES", "ExponentialFamily", "frontier_family", "frontier_gaussian", "gaussian_kl"]


@dataclass(frozen=True)
class ExponentialFamily:
    """exp(θ·ν(x) - A(θ)) with independent coordinates: log-partition, mean map ∇A and its inverse.

    Attributes:
        log_partition: A, elementwise, summed over the last axis by ``kl``.
        mean: ∇A.
        natural: (∇A)^{-1}.
    """

    name: str
    log_partition: Callable[[Tensor], Tensor]
    mean: Callable[[Tensor], Tensor]
    natural: Callable[[Tensor], Tensor]

    def kl(self, theta: Tensor, other: Tensor) -> Tensor:
        """KL(θ‖θ') = A(θ') - A(θ) - ∇A(θ)·(θ' - θ), shapes (…, d) → (…)."""
        gap = self.log_partition(other) - self.log_partition(theta) - self.mean(theta) * (other - theta)
        return gap.sum(dim=-1)


FAMILIES: dict[str, ExponentialFamily] = {
    family.name: family
    for family in (
        ExponentialFamily("bernoulli", torch.nn.functional.softplus, torch.sigmoid, torch.logit),
        ExponentialFamily("exponential", lambda t: -(-t).log(), lambda t: -1.0 / t, lambda m: -1.0 / m),
        ExponentialFamily("poisson", torch.exp, torch.exp, torch.log),
        ExponentialFamily("unit_normal", lambda t: t**2 / 2, lambda t: t, lambda m: m),
    )
}
"""Natural parameters: bernoulli logit, exponential minus the rate, poisson log-rate, unit_normal the mean."""


def frontier_family(
    family: ExponentialFamily, theta_p: Any, theta_q: Any, kind: Kind, tilts: Any
) -> Frontier:
    """The α = 1 frontier between two members, natural parameters of shape (d,); odds of Q's weight = tilt."""
    first, second = torch.atleast_1d(_double(theta_p)), torch.atleast_1d(_double(theta_q))
    tilt = _double(tilts)
    weight = (tilt / (1 + tilt)).unsqueeze(-1)
    if kind == "exclusive":
        path = (1 - weight) * first + weight * second
        to_model, to_real = family.kl(path, second), family.kl(path, first)
    else:
        path = family.natural((1 - weight) * family.mean(first) + weight * family.mean(second))
        to_model, to_real = family.kl(second, path), family.kl(first, path)
    return _frontier(kind, tilt, to_model, to_real)


def frontier_gaussian(mean_p: Any, cov_p: Any, mean_q: Any, cov_q: Any, kind: Kind, tilts: Any) -> Frontier:
    """The α = 1 frontier between two Gaussians of means (d,) and covariances (d, d).

    Exclusive: R has precision (1-π)Σ_P⁻¹ + πΣ_Q⁻¹ and the matching natural mean. Inclusive: R has the
    moments of the mixture (1-π)P + πQ.
    """
    mean_1, cov_1, mean_2, cov_2 = (_double(x) for x in (mean_p, cov_p, mean_q, cov_q))
    tilt = _double(tilts)
    weight = (tilt / (1 + tilt))[:, None]
    if kind == "exclusive":
        inv_1, inv_2 = torch.linalg.inv(cov_1), torch.linalg.inv(cov_2)
        cov = torch.linalg.inv((1 - weight[..., None]) * inv_1 + weight[..., None] * inv_2)
        natural = (1 - weight) * (inv_1 @ mean_1) + weight * (inv_2 @ mean_2)
        mean = (cov @ natural.unsqueeze(-1)).squeeze(-1)
        to_model, to_real = gaussian_kl(mean, cov, mean_2, cov_2), gaussian_kl(mean, cov, mean_1, cov_1)
    else:
        mean = (1 - weight) * mean_1 + weight * mean_2
        apart = torch.outer(mean_1 - mean_2, mean_1 - mean_2)
        spread = (weight * (1 - weight))[..., None] * apart
        cov = (1 - weight[..., None]) * cov_1 + weight[..., None] * cov_2 + spread
        to_model, to_real = gaussian_kl(mean_2, cov_2, mean, cov), gaussian_kl(mean_1, cov_1, mean, cov)
    return _frontier(kind, tilt, to_model, to_real)


def gaussian_kl(mean_a: Tensor, cov_a: Tensor, mean_b: Tensor, cov_b: Tensor) -> Tensor:
    """KL(A‖B) = ½[tr(Σ_B⁻¹Σ_A) + Δᵀ Σ_B⁻¹ Δ - d + log det Σ_B/det Σ_A], batched: (…, d), (…, d, d) → (…)."""
    chol_a, chol_b = torch.linalg.cholesky(cov_a), torch.linalg.cholesky(cov_b)
    shape = torch.broadcast_shapes(chol_a.shape, chol_b.shape)
    whitened = torch.linalg.solve_triangular(chol_b.expand(shape), chol_a.expand(shape), upper=False)
    shift = torch.broadcast_to(mean_a - mean_b, shape[:-1]).unsqueeze(-1)
    step = torch.linalg.solve_triangular(chol_b.expand(shape), shift, upper=False)
    log_det = 2 * (_log_diagonal(chol_b) - _log_diagonal(chol_a))
    squares = whitened.square().sum((-2, -1)) + step.square().sum((-2, -1))
    divergence: Tensor = 0.5 * (squares - shape[-1] + log_det)
    return divergence


def _log_diagonal(chol: Tensor) -> Tensor:
    diagonal: Tensor = torch.diagonal(chol, dim1=-2, dim2=-1)
    return diagonal.log().sum(-1)


def _double(value: Any) -> Tensor:
    return torch.as_tensor(value, dtype=torch.float64)


def _frontier(kind: Kind, tilt: Tensor, to_model: Tensor, to_real: Tensor) -> Frontier:
    return Frontier(1.0, kind, tilt.numpy(), to_model.clamp(min=0).numpy(), to_real.clamp(min=0).numpy())
