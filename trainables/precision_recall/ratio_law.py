"""The law of the density ratio: all that a precision-recall curve depends on, sorted once.

α_λ = ∫min(λp, q) splits at the ratio 1/λ: below it the minimum is λp, above it is q. With atoms sorted by
r = p/q both parts are cumulative sums, so any number L of trade-offs costs O((N + L) log N), and never N × L
memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from trainables.precision_recall.curve import PRCurve

__all__ = ["RatioLaw"]


@dataclass(frozen=True, eq=False)
class RatioLaw:
    """Atoms sorted by r = p/q, with the mass of P below and the mass of Q from each of them on.

    Attributes:
        log_ratio: log r, rising, float64, shape (…, N); ±inf where one of the laws has no mass.
        p_below: Σ_{i<j} p_i for j = 0…N, shape (…, N+1).
        q_from: Σ_{i≥j} q_i for j = 0…N, shape (…, N+1).
    """

    log_ratio: Tensor
    p_below: Tensor
    q_from: Tensor

    @classmethod
    def from_masses(cls, p: Tensor, q: Tensor) -> RatioLaw:
        """From the masses of P and Q on common atoms, shapes (…, N)."""
        p, q = p.to(torch.float64), q.to(torch.float64)
        log_ratio = torch.where((p == 0) & (q == 0), -torch.inf, p.log() - q.log())
        return cls._sorted(log_ratio, p, q)

    @classmethod
    def from_log_ratio(cls, log_ratio: Tensor, weights: Tensor | None = None) -> RatioLaw:
        """From log p/q at samples of Q (equal weights, or Q's masses), shape (…, N): P has mass w·r there."""
        log_ratio = log_ratio.detach().to(torch.float64)
        q = torch.ones_like(log_ratio) if weights is None else weights.to(log_ratio).expand_as(log_ratio)
        q = q / q.sum(dim=-1, keepdim=True)
        log_ratio = torch.where((q == 0) & log_ratio.isnan(), -torch.inf, log_ratio)  # no mass of either law
        return cls._sorted(log_ratio, torch.where(q > 0, q * log_ratio.exp(), 0.0), q)

    @classmethod
    def _sorted(cls, log_ratio: Tensor, p: Tensor, q: Tensor) -> RatioLaw:
        log_ratio, order = log_ratio.sort(dim=-1)
        zero = torch.zeros_like(p[..., :1])
        p_below = torch.cat([zero, p.gather(-1, order).cumsum(-1)], dim=-1)
        q_from = torch.cat([q.gather(-1, order).flip(-1).cumsum(-1).flip(-1), zero], dim=-1)
        return cls(log_ratio, p_below, q_from)

    def _split(self, lambdas: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """λ, P(r < 1/λ) and Q(r ≥ 1/λ, r > 0), shapes (L,), (…, L), (…, L)."""
        lam = torch.as_tensor(lambdas, dtype=torch.float64, device=self.log_ratio.device)
        if lam.ndim != 1 or bool((~(lam >= 0)).any()):
            raise ValueError("trade-offs λ must be a list of numbers in [0, ∞]; use equiangular_grid(n)")
        edges = (-lam.log()).expand(*self.log_ratio.shape[:-1], lam.numel()).contiguous()
        first = torch.searchsorted(self.log_ratio.contiguous(), edges)
        # Where p = 0 the minimum is 0, also at λ = ∞.
        zeros = (self.log_ratio == -torch.inf).sum(dim=-1, keepdim=True)
        first = torch.maximum(first, zeros)
        return lam, self.p_below.gather(-1, first), self.q_from.gather(-1, first)

    def alpha(self, lambdas: Tensor) -> Tensor:
        """Precision α_λ = λ P(r < 1/λ) + Q(r ≥ 1/λ), shape (…, L), for λ in [0, ∞]."""
        lam, p, q = self._split(lambdas)
        return torch.where(p > 0, lam * p, 0.0) + q

    def beta(self, lambdas: Tensor) -> Tensor:
        """Recall β_λ = P(r < 1/λ) + Q(r ≥ 1/λ)/λ, shape (…, L), for λ in [0, ∞]."""
        lam, p, q = self._split(lambdas)
        return p + torch.where(q > 0, q / lam, 0.0)

    def curve(self, lambdas: Any) -> PRCurve:
        """The points (λ, α_λ, β_λ) at the given trade-offs."""
        lam = torch.as_tensor(lambdas, dtype=torch.float64).sort().values
        alpha, beta = self.alpha(lam), self.beta(lam)
        return PRCurve(_numpy(lam), _numpy(alpha), _numpy(beta))

    def breakpoints(self) -> Tensor:
        """The trade-offs λ = 1/r where α_λ bends, rising, shape (…, N); 0 and ∞ for one-sided atoms."""
        return (-self.log_ratio).exp().flip(-1)

    def auc(self) -> Tensor:
        """The exact area below the curve, ½∫_0^∞ β_λ² dλ, shape (…); 1 for P = Q.

        Between two breakpoints β_λ = P_j + Q_j/λ, whose square integrates in closed form; with 1/λ from
        r_{j-1} to r_j the piece is

            Q_j² (r_j - r_{j-1}) + 2 P_j Q_j log(r_j/r_{j-1}) + P_j² (1/r_{j-1} - 1/r_j).
        """
        ends = torch.full_like(self.log_ratio[..., :1], torch.inf)
        low = torch.cat([-ends, self.log_ratio], dim=-1)
        high = torch.cat([self.log_ratio, ends], dim=-1)
        p, q = self.p_below, self.q_from
        pieces = (
            _product(q**2, high.exp() - low.exp(), low < high)
            + _product(2 * p * q, high - low, low < high)
            + _product(p**2, (-low).exp() - (-high).exp(), low < high)
        )
        return 0.5 * pieces.sum(dim=-1)

    def f_max(self, s: float) -> Tensor:
        """The exact maximum of F_s over all λ, shape (…).

        F_s = (1+s²) α_λ/(1 + s²λ) is monotone between breakpoints, so the maximum is at some λ = 1/r_i,
        where it is (1+s²)(P_i + r_i Q_i)/(r_i + s²).
        """
        if not s > 0:
            raise ValueError(
                f"the weight s of F_s must be > 0, got {s:g}; use 8 for recall or 1/8 for precision"
            )
        ratio = self.log_ratio.exp()
        usable = (ratio > 0) & ratio.isfinite()
        ratio = torch.where(usable, ratio, 1.0)
        values = (1 + s**2) * (self.p_below[..., :-1] + ratio * self.q_from[..., :-1]) / (ratio + s**2)
        return torch.where(usable, values, 0.0).amax(dim=-1)


def _product(factor: Tensor, width: Tensor, inside: Tensor) -> Tensor:
    """factor · width with 0 · ∞ = 0: pieces without mass, or between equal ratios, have no area."""
    return torch.where(inside & (factor > 0), factor * width, 0.0)


def _numpy(values: Tensor) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return values.detach().cpu().numpy()
