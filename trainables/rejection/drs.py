"""Discriminator rejection sampling (DRS) on draws: γ for a wanted acceptance.

a = r/(r (1 - e^γ) + M e^γ) (Azadi et al. 2019; thesis, 6.7) is σ(ℓ - γ) with ℓ = log r/(M - r), the logit of r/M. So
E_Q[a] falls in γ from 1 to the share of draws at which r = M.
"""

from __future__ import annotations

import torch
from torch import Tensor

from trainables.rejection.obrs import LOG_EXTREME

__all__ = ["drs_acceptance", "drs_constants"]

_HALVINGS = 80
_EDGE = 60.0
"""σ is 0 or 1 in double precision so far away."""


def drs_constants(log_ratio: Tensor, budget: float) -> Tensor:
    """(…, 3): log M, γ and log t with t E_Q[σ(ℓ - γ)] = 1/K over draws of log r (…, N), M the largest r among them.

    t is 1 but where r = M for more than one draw in K, of which γ accepts every one: all are thinned out alike then.
    At K = 1 γ = -∞. By bisection, O(N) each; a NaN among ratios gives NaN. ``LOG_EXTREME`` bounds log r as for OBRS.

    Reference: Azadi et al. 2019, 3.2, who set γ by hand.
    """
    if not budget >= 1:
        raise ValueError(f"budget K must be ≥ 1, got {budget:g}; use K=1 to accept every sample")
    log_r = log_ratio.detach().double().clamp(-LOG_EXTREME, LOG_EXTREME)
    log_m = log_r.amax(dim=-1)
    if budget == 1:
        return torch.stack((log_m, torch.full_like(log_m, -torch.inf), torch.zeros_like(log_m)), dim=-1)
    logit = _logit(log_r, log_m)
    rest = torch.where(logit.isinf(), torch.nan, logit)
    low = rest.nan_to_num(nan=torch.inf).amin(dim=-1).clamp(max=0.0) - _EDGE
    high = rest.nan_to_num(nan=-torch.inf).amax(dim=-1).clamp(min=0.0) + _EDGE
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        above = _rate(logit, middle) > 1 / budget
        low, high = torch.where(above, middle, low), torch.where(above, high, middle)
    gamma = (low + high) / 2
    thin = -(budget * _rate(logit, gamma)).log().clamp(min=0.0)
    return torch.stack((log_m, gamma, torch.where(thin.abs() < 1e-9, 0.0, thin)), dim=-1)


def drs_acceptance(log_ratio: Tensor, constants: Tensor) -> Tensor:
    """a in [0, 1] at log r (…, n), by ``constants`` (…, 3) as ``drs_constants`` gives them; 1 at best where r ≥ M."""
    log_m, gamma, thin = constants.unbind(dim=-1)
    log_r = log_ratio.double().clamp(-LOG_EXTREME, LOG_EXTREME)
    return (torch.sigmoid(_logit(log_r, log_m) - gamma.unsqueeze(-1)) * thin.exp().unsqueeze(-1)).to(
        log_ratio.dtype
    )


def _logit(log_r: Tensor, log_m: Tensor) -> Tensor:
    """log r/(M - r) = -d - log(1 - e^{-d}) with d = log M/r; ∞ where r ≥ M."""
    below = (log_m.unsqueeze(-1) - log_r).clamp(min=0.0)
    return -below - (-torch.expm1(-below)).log()


def _rate(logit: Tensor, gamma: Tensor) -> Tensor:
    return torch.sigmoid(logit - gamma.unsqueeze(-1)).mean(dim=-1)
