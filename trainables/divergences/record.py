"""One f-divergence: D_f(P‖Q) = E_Q[f(p/q)], with everything a critic and a theorem need from it.

Notation: u, r = p/q are density ratios, T = a(w) is the critic's output and w its raw logit. Every function
is elementwise, of any shape, in float32 or float64, and differentiable where the mathematics is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import torch
from torch import Tensor

__all__ = ["Divergence", "Function", "Scalar", "undefined"]

Function: TypeAlias = Callable[[Tensor], Tensor]
Scalar: TypeAlias = float | Tensor


def undefined(reason: str) -> Function:
    """A function that does not exist: calling it raises ValueError with the reason."""

    def refuse(_: Tensor) -> Tensor:
        raise ValueError(reason)

    return refuse


@dataclass(frozen=True, eq=False)
class Divergence:
    """An f-divergence D_f(P‖Q) = ∫ q f(p/q), a record of its formulas.

    Attributes:
        f: convex, f(1) = ``constant`` (0, save for GAN).
        f_prime: f′.
        f_second: f″; raises ValueError where f has a kink.
        conjugate: f*(t) = sup_{u≥0} tu - f(u) on the whole line, +inf outside its domain.
        activation: T = a(w), a map onto (the closure of) the range of f′.
        conjugate_of_activation: f*(a(w)) in one stable expression; this is what a loss should use.
        log_ratio: log r̂ from the raw logit w; ValueError where f is not strictly convex.
        ratio: r̂ = (f*)′(T) from the output T; likewise.
        optimal_logit: the w with a(w) = f′(r).
        at_zero: lim_{u→0} f(u), the cost of mass of Q where P has none.
        slope_at_infinity: lim_{u→∞} f(u)/u, the cost of mass of P where Q has none.
        reversal: builds the divergence with P and Q exchanged.
        recovers_ratio: whether ``log_ratio`` and ``ratio`` exist.
        lipschitz: sup |f′| on (0, ∞).
        strong_convexity: inf f″ on (0, ∞), 0 where there is none.
        weight_atom: (λ, mass) when D_f is ``mass`` times D_λ, so its weight over λ is a point mass.

    Reference: Nowozin, Cseke, Tomioka, f-GAN, 2016; Vérine, thesis, ch. 2 and 4, as corrected in
    docs/errata.md.
    """

    name: str
    f: Function
    f_prime: Function
    f_second: Function
    conjugate: Function
    activation: Function
    conjugate_of_activation: Function
    log_ratio: Function
    ratio: Function
    optimal_logit: Function
    at_zero: Scalar
    slope_at_infinity: Scalar
    reversal: Callable[[], Divergence]
    recovers_ratio: bool = True
    constant: float = 0.0
    lipschitz: Scalar = math.inf
    strong_convexity: float = 0.0
    weight_atom: tuple[Scalar, Scalar] | None = None

    def __repr__(self) -> str:
        return f"Divergence({self.name})"

    def optimal_critic(self, r: Tensor) -> Tensor:
        """T_opt = f′(r), where E_P[T] - E_Q[f*(T)] attains D_f."""
        return self.f_prime(r)

    def reverse(self) -> Divergence:
        """The divergence with D°(P‖Q) = D_f(Q‖P): its f is u f(1/u), up to c(u-1), which integrates to 0."""
        return self.reversal()

    def lipschitz_on(self, low: float, high: float) -> Scalar:
        """sup |f′| over ratios in [low, high]: f′ is monotone, so an end attains it."""
        return torch.stack([self.f_prime(u).abs() for u in _ends(low, high)]).amax(0)

    def strong_convexity_on(self, low: float, high: float) -> Scalar:
        """inf f″ over ratios in [low, high]: f″ is monotone for every member, so an end attains it."""
        return torch.stack([self.f_second(u) for u in _ends(low, high)]).amin(0)

    def scaled(self, factor: float) -> Divergence:
        """The divergence factor · D_f, with (cf)*(t) = c f*(t/c) and the same raw logits."""
        if not 0 < factor < math.inf:
            raise ValueError(f"the factor of a scaled divergence must be positive and finite, got {factor}")
        return replace(
            self,
            name=f"{factor:g}·{self.name}",
            f=lambda u: factor * self.f(u),
            f_prime=lambda u: factor * self.f_prime(u),
            f_second=lambda u: factor * self.f_second(u),
            conjugate=lambda t: factor * self.conjugate(t / factor),
            activation=lambda w: factor * self.activation(w),
            conjugate_of_activation=lambda w: factor * self.conjugate_of_activation(w),
            ratio=lambda t: self.ratio(t / factor),
            at_zero=factor * self.at_zero,
            slope_at_infinity=factor * self.slope_at_infinity,
            reversal=lambda: self.reverse().scaled(factor),
            constant=factor * self.constant,
            lipschitz=factor * self.lipschitz,
            strong_convexity=factor * self.strong_convexity,
            weight_atom=self.weight_atom and (self.weight_atom[0], factor * self.weight_atom[1]),
        )

    def integrand(self, p: Tensor, q: Tensor) -> Tensor:
        """q f(p/q) pointwise, with its limits: q f(0) where p = 0, p f′(∞) where q = 0, 0 where both vanish.

        Shapes: p and q broadcast; the parameter λ of a PR-divergence broadcasts with them.
        """
        both = (p > 0) & (q > 0)
        ratio = torch.where(both, p, 1) / torch.where(both, q, 1)
        # A denormal q overflows the ratio; there q f(p/q) = p·(f(u)/u), with the largest u there is.
        largest = ratio.new_tensor(torch.finfo(ratio.dtype).max)
        finite = ratio <= largest
        far = p * (self.f(largest) / largest)
        inside = torch.where(finite, q * self.f(torch.where(finite, ratio, 1)), far)
        at_zero = torch.as_tensor(self.at_zero, dtype=q.dtype, device=q.device)
        slope = torch.as_tensor(self.slope_at_infinity, dtype=q.dtype, device=q.device)
        # Infinite costs are masked before they are multiplied, so that gradients hold no 0·inf.
        spurious = q * torch.where((p <= 0) & (q > 0), at_zero, 0)
        missed = p * torch.where((q <= 0) & (p > 0), slope, 0)
        return torch.where(both, inside, spurious + missed)

    def discrete(self, p: Tensor, q: Tensor) -> Tensor:
        """D_f(P‖Q) = Σ_i q_i f(p_i/q_i) of discrete laws; +inf where it is infinite.

        Shapes: p, q (..., n), each summing to 1 over its last axis; result (...).
        """
        for label, law in (("p", p), ("q", q)):
            total = law.sum(-1)
            if bool((law < 0).any()) or not bool(torch.isfinite(law).all()):
                raise ValueError(f"{label} must hold finite, non-negative probabilities, got {law.tolist()}")
            if bool(((total - 1).abs() > 1e-4).any()):
                raise ValueError(
                    f"{label} must sum to 1 over its last axis, got {total.tolist()}; divide by it"
                )
        return self.integrand(p, q).sum(-1)


def _ends(low: float, high: float) -> tuple[Tensor, Tensor]:
    if not 0 < low <= high < math.inf:
        raise ValueError(f"a range of ratios must satisfy 0 < low ≤ high < inf, got [{low}, {high}]")
    return torch.tensor(low, dtype=torch.float64), torch.tensor(high, dtype=torch.float64)
