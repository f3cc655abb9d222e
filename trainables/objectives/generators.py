"""Generator losses, as functions of the critic's logits on generated data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from torch import Tensor

from trainables.objectives.critics import Critic

__all__ = ["GeneratorLoss", "NonSaturating", "PRLog", "PRPrimal"]


class GeneratorLoss(ABC):
    """Logits (T, B), λ (T,) → losses (T,)."""

    @abstractmethod
    def __call__(self, logit: Tensor, lam: Tensor, critic: Critic) -> Tensor:
        """Loss of every trial."""


@dataclass(frozen=True)
class NonSaturating(GeneratorLoss):
    """-E_Q[T]: raise the critic's output on generated data (Nowozin et al. 2016, 3.2).

    T = f′(r̂) increases with r̂, so it points where -E_Q[f*(T)] points, without vanishing where the critic wins. For
    ``gan`` it is the loss of Goodfellow et al. 2014; for ``hinge`` the usual -E_Q[w].
    """

    def __call__(self, logit: Tensor, lam: Tensor, critic: Critic) -> Tensor:
        """Loss of every trial."""
        return -critic.output(logit).mean(-1)


def _capped(logit: Tensor, lam: Tensor, critic: Critic) -> Tensor:
    """log min(λ r̂, 1), (T, B)."""
    return (critic.log_ratio(logit) + lam.log().unsqueeze(-1)).clamp(max=0.0)


@dataclass(frozen=True)
class PRPrimal(GeneratorLoss):
    """-E_Q[min(λ r̂, 1)] / min(λ, 1): the primal PR-divergence (Vérine 2024, 5.2), rescaled.

    α_λ = E_Q[min(λ r, 1)] is the precision at λ; dividing by min(λ, 1) lets every λ take steps of one size.
    """

    def __call__(self, logit: Tensor, lam: Tensor, critic: Critic) -> Tensor:
        """Loss of every trial."""
        return -_capped(logit, lam, critic).exp().mean(-1) / lam.clamp(max=1.0)


@dataclass(frozen=True)
class PRLog(GeneratorLoss):
    """-E_Q[min(log λ r̂, 0)] for λ ≥ 1, the primal for λ < 1.

    f(u) = max(-log λu, 0) is zero for exactly the models for which PR-λ is (q ≤ λp), but its gradient does not
    vanish on far outliers, where r̂ → 0: this is what makes large λ work in practice.
    """

    def __call__(self, logit: Tensor, lam: Tensor, critic: Critic) -> Tensor:
        """Loss of every trial."""
        capped = _capped(logit, lam, critic)
        primal = -capped.exp().mean(-1) / lam.clamp(max=1.0)
        return torch.where(lam >= 1, -capped.mean(-1), primal)
