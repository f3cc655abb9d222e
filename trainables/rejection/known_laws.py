"""Rejection in theory: OBRS, DRS and plain rejection on discrete laws, where everything is exact."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from trainables.precision_recall import as_law
from trainables.rejection.obrs import acceptance, budget_constant

__all__ = [
    "Refined",
    "guaranteed_improvement",
    "largest_ratio",
    "refine_drs",
    "refine_obrs",
    "refine_plain",
    "refined_law",
]


@dataclass(frozen=True, eq=False)
class Refined:
    """A law after rejection.

    Attributes:
        acceptance: a_i in [0, 1], shape (N,).
        rate: E_Q[a], the share of draws that are kept; 1/rate draws are spent on each sample.
        law: q̃_i = q_i a_i / E_Q[a], shape (N,) (thesis, 6.1).
        constant: the parameter that set it: log c for OBRS, γ for DRS, -log M for plain rejection.
    """

    acceptance: Tensor
    rate: float
    law: Tensor
    constant: float


def refined_law(q: Any, accepted: Tensor, constant: float = float("nan")) -> Refined:
    """The law q̃ ∝ q·a and its rate, for any acceptance a in [0, 1]^N that keeps something."""
    law_q = as_law(q, "q")
    kept = law_q * accepted
    rate = float(kept.sum())
    if not rate > 0:
        raise ValueError("an acceptance function must keep some mass of q, got none")
    return Refined(accepted, rate, kept / rate, constant)


def largest_ratio(p: Any, q: Any) -> float:
    """M = max p_i/q_i over the support of p; ∞ if q misses part of it."""
    law_p, law_q = as_law(p, "p"), as_law(q, "q")
    return float((law_p / law_q)[law_p > 0].max())


def refine_obrs(p: Any, q: Any, budget: float) -> Refined:
    """Optimal budgeted rejection: a = min(c r, 1) with E_Q[a] = 1/K, the best a for every f-divergence."""
    log_r, law_q = _log_ratio(p, q)
    log_c = budget_constant(log_r, budget, law_q)
    return refined_law(law_q, acceptance(log_r, log_c), float(log_c))


def refine_plain(p: Any, q: Any) -> Refined:
    """a = r/max r (6.3): q̃ is P restricted to the support of Q, as with OBRS at any budget K ≥ M."""
    log_r, law_q = _log_ratio(p, q)
    log_m = log_r[law_q > 0].max()
    if not bool(log_m > -torch.inf):
        raise ValueError("plain rejection keeps nothing: p and q have disjoint supports")
    return refined_law(law_q, (log_r - log_m).exp(), -float(log_m))


def refine_drs(p: Any, q: Any, budget: float) -> Refined:
    """Discriminator rejection at budget K: a = r/(r(1-e^γ) + M e^γ) (6.7), with γ ≤ 0 set so that E_Q[a] = 1/K.

    The rate falls from Q(r > 0) at γ → -∞ to plain rejection at γ = 0. Budgets beyond plain rejection
    stay there. If Q(r > 0) < 1/K no γ keeps the budget, and everything is accepted.

    Reference: Azadi et al. 2019; thesis, §6.1.2.
    """
    log_r, law_q = _log_ratio(p, q)
    log_m = log_r[law_q > 0].max()
    if not budget >= 1:
        raise ValueError(f"budget K must be ≥ 1, got {budget:g}; use K=1 to accept every sample")
    if budget == 1 or float(law_q[log_r > -torch.inf].sum()) < 1.0 / budget:
        return refined_law(law_q, torch.ones_like(law_q), -torch.inf)
    low, high = -700.0, 0.0
    for _ in range(100):
        middle = (low + high) / 2
        if float((law_q * _drs_acceptance(log_r - log_m, middle)).sum()) > 1.0 / budget:
            low = middle
        else:
            high = middle
    gamma = low if high < 0.0 else 0.0  # the side that keeps the budget; 0 is plain rejection
    return refined_law(law_q, _drs_acceptance(log_r - log_m, gamma), gamma)


def guaranteed_improvement(p: Any, q: Any, budget: float) -> float:
    """γ = min(1, (K-1)/(M-1)): OBRS at budget K has D_f(P‖Q̃) ≤ (1-γ) D_f(P‖Q) for every f-divergence.

    The thesis prints (K-1)/M (Theorem 6.2.2). The proof only asks for Q + γ(P-Q) ≤ KQ, that is
    γ(r-1) ≤ K-1, so M-1 is enough. With M = ∞ nothing is guaranteed in this way.
    """
    if not budget >= 1:
        raise ValueError(f"budget K must be ≥ 1, got {budget:g}; use K=1 to accept every sample")
    largest = largest_ratio(p, q)
    return 1.0 if budget >= largest else (budget - 1.0) / (largest - 1.0)


def _drs_acceptance(log_relative: Tensor, gamma: float) -> Tensor:
    """1/((1-e^γ) + e^γ M/r) with log_relative = log r/M ≤ 0; 0 where r = 0."""
    grip = math.exp(gamma)
    return 1.0 / ((1.0 - grip) + grip * (-log_relative).exp())


def _log_ratio(p: Any, q: Any) -> tuple[Tensor, Tensor]:
    """log p/q on the support of q, -inf off it (where nothing is drawn), and q; shapes (N,)."""
    law_p, law_q = as_law(p, "p"), as_law(q, "q")
    if law_p.shape != law_q.shape:
        raise ValueError(f"p and q must have the same number of entries, got {len(law_p)} and {len(law_q)}")
    return torch.where(law_q > 0, law_p.log() - law_q.log(), -torch.inf), law_q
