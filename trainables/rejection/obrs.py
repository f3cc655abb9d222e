"""Optimal budgeted rejection sampling (OBRS): the constant of a budget, and the acceptance it gives.

Thesis §6.2 (Vérine et al., AISTATS 2024). Among all acceptance functions with E_Q[a] ≥ 1/K, the clipped ratio
a(x) = min(c r(x), 1) brings the refined law closest to P in every f-divergence. The thesis writes c_K/M for
our c: the scale of r is then irrelevant, and no maximum M has to be known.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["LOG_EXTREME", "acceptance", "budget_constant", "obrs_acceptance"]

LOG_EXTREME = 1e4
"""Log-ratios are read inside ±LOG_EXTREME, so r = 0 and r = ∞ are limits and never make a NaN.

A zero ratio stands for r → 0⁺: accepted only once every positive ratio is accepted with certainty, and all
zeros equally. e^{-LOG_EXTREME} is 0 in float64, and log c near LOG_EXTREME still has 12 digits.
"""


def budget_constant(log_ratio: Tensor, budget: float | Tensor, weights: Tensor | None = None) -> Tensor:
    """Solve E_Q[min(c r, 1)] = 1/K for log c, exactly: one sort, two cumulative sums, one linear solve.

    With r_1 ≥ … ≥ r_N of weights w_i, the rate at c = 1/r_j is h_j = W_j + S_j/r_j, W_j = Σ_{i≤j} w_i and
    S_j = Σ_{i>j} w_i r_i; h_0 = 0 is the rate at c = 0. It grows with j; past the last j with h_j ≤ 1/K the
    equation is linear, and c = (1/K - W_j)/S_j. One Newton step takes away what rounding left.

    Args:
        log_ratio: log p/q up to a constant at samples (or atoms) of Q, shape (…, N). -inf is r = 0.
        budget: K ≥ 1, the expected number of draws per accepted sample; a number or shape (…).
        weights: Q's mass on each sample, broadcastable to (…, N), normalised here; equal if left out.

    Returns:
        log c, float64, shape (…). At the edges:

        - K = 1: c = +inf, every sample is accepted, also where r = 0.
        - K ≥ M = max r / E_Q[r]: nothing is clipped, c = 1/(K E_Q[r]), and the refined law is that of plain
          rejection (6.19), which a rate of 1/M would give as well. The budget is spent all the same: 1/K is what
          was asked for. One sample, or all ratios equal, is the case M = 1.
        - r = 0 on so much of Q that even c = ∞ falls short of 1/K: every positive ratio is accepted and the
          rest of 1/K is spread evenly over the zeros. Where p = 0, D_f depends on the accepted mass alone,
          so no other sharing does better.

    A NaN ratio gives a NaN constant. Budgets in CUDA tensors go unchecked: a check would stall the stream.

    Reference: Vérine, thesis, Theorem 6.2.1. Algorithm 5 bisects the same equation; as printed it lacks 1/N.
    """
    _check_budget(budget)
    log_r = log_ratio.detach().to(torch.float64)
    rate = 1.0 / _double(budget, log_r)
    mass = torch.ones_like(log_r) if weights is None else weights.to(log_r).expand_as(log_r)
    # Atoms that Q never draws (r may be ∞ or 0/0 there) go to the end, where they weigh nothing.
    log_r = torch.where(mass > 0, log_r, -LOG_EXTREME).clamp(-LOG_EXTREME, LOG_EXTREME)

    log_r, order = log_r.sort(dim=-1, descending=True)
    mass = (mass / mass.sum(dim=-1, keepdim=True)).gather(-1, order)
    nothing = torch.zeros_like(mass[..., :1])
    accepted = torch.cat([nothing, mass.cumsum(dim=-1)], dim=-1)  # W_0 … W_N
    from_end = (mass.log() + log_r).flip(-1).logcumsumexp(dim=-1).flip(-1)  # log Σ_{i≥j} w_i r_i
    rest = torch.cat([from_end, nothing - torch.inf], dim=-1)  # log S_0 … log S_N
    bend = torch.cat([nothing + torch.inf, log_r, nothing - torch.inf], dim=-1)  # log r_0 … log r_{N+1}
    rate_at = accepted + (rest - bend[..., :-1]).exp()  # h_0 … h_N

    rate = rate.expand(log_r.shape[:-1]).unsqueeze(-1)
    j = ((rate_at <= rate).sum(dim=-1, keepdim=True) - 1).clamp(min=0)  # a NaN is below nothing
    log_c = (rate - accepted.gather(-1, j)).clamp(min=0.0).log() - rest.gather(-1, j)
    # c lies in [1/r_j, 1/r_{j+1}], which undoes the rounding of 1/K - W_j.
    low, high = -bend.gather(-1, j), -bend.gather(-1, j + 1)
    log_c = torch.where(log_c.isnan(), low, log_c)  # 0/0: nothing is left to share out
    log_c = torch.minimum(torch.maximum(_kept_to(rate, log_c, log_r, mass), low), high)
    log_c = torch.where(from_end.isnan().any(dim=-1, keepdim=True), torch.nan, log_c)
    return torch.where(rate >= 1.0, torch.inf, log_c).squeeze(-1)


def _kept_to(rate: Tensor, log_c: Tensor, log_r: Tensor, mass: Tensor) -> Tensor:
    """log c after one Newton step on log c ↦ E_Q[min(c r, 1)], and then up by one float if that is short of the rate.

    Sums of logarithms near ``LOG_EXTREME`` are off by some 1e-12 of c. Exponents log(c r) near 0 are not, so the
    rate is known far better than that, and E_Q[a] ≥ 1/K is kept up to the rounding of a sum. O(N).
    """

    def rates(log_c: Tensor) -> tuple[Tensor, Tensor]:
        accepted = acceptance(log_r, log_c.squeeze(-1))
        kept = mass * accepted
        unclipped = torch.where(accepted < 1.0, kept, 0.0)
        return kept.sum(dim=-1, keepdim=True), unclipped.sum(dim=-1, keepdim=True)

    reached, unclipped = rates(log_c)
    log_c = torch.where(unclipped > 0.0, log_c + (rate - reached) / unclipped, log_c)
    reached, _ = rates(log_c)
    return torch.where(reached < rate, log_c.nextafter(torch.full_like(log_c, torch.inf)), log_c)


def acceptance(log_ratio: Tensor, log_c: Tensor | float) -> Tensor:
    """The probability of keeping each sample, a(x) = min(c r(x), 1) (6.11), in [0, 1].

    Args:
        log_ratio: log p/q, shape (…, N), on the scale that gave ``log_c``. Gradients flow through it.
        log_c: what ``budget_constant`` returned, shape (…).

    Returns:
        a, shape (…, N), in the dtype of ``log_ratio`` (the exponent is computed in float64).
    """
    constant = _double(log_c, log_ratio).unsqueeze(-1)
    exponent = log_ratio.to(torch.float64).clamp(-LOG_EXTREME, LOG_EXTREME) + constant
    return exponent.clamp(max=0.0).exp().to(log_ratio.dtype)


def obrs_acceptance(log_ratio: Tensor, budget: float | Tensor, weights: Tensor | None = None) -> Tensor:
    """The optimal acceptance at budget K: ``acceptance`` at ``budget_constant``; shapes as there."""
    return acceptance(log_ratio, budget_constant(log_ratio, budget, weights))


def _double(value: float | Tensor, like: Tensor) -> Tensor:
    """A float64 tensor on the device of ``like``, without a copy from the host that would break a CUDA graph."""
    if isinstance(value, Tensor):
        return value.to(device=like.device, dtype=torch.float64)
    return torch.full((), value, dtype=torch.float64, device=like.device)


def _check_budget(budget: float | Tensor) -> None:
    if isinstance(budget, Tensor):
        if budget.is_cuda or bool((budget >= 1.0).all()):
            return
        worst = float(budget[~(budget >= 1.0)].flatten()[0])
    elif budget >= 1.0:
        return
    else:
        worst = budget
    raise ValueError(f"budget K must be ≥ 1, got {worst:g}; use K=1 to accept every sample")
