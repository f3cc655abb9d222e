"""Training with OBRS (Vérine 2024, 6.3): the generator is made for the samples that rejection at budget K will keep."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, ClassVar, get_args

from trainables.family import at_most, require
from trainables.objectives.fgan import FGan, Recoverable, dual_of
from trainables.objectives.objective import Columns

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.divergences import Divergence

__all__ = ["Obrs"]

_LARGEST_BUDGET = 1e9
_LOG_EXTREME = 80.0
"""Log-ratios are read inside ±80: e^80 is finite in single precision."""


@dataclass(frozen=True)
class Obrs(FGan):
    """min D_f(P‖Q̃) over what OBRS keeps, q̃ = K a q with a = min(c r, 1), E_Q[a] = 1/K, by its first variation.

    Let b = a q be the density of what is kept: D_f(P‖Q̃) = min ∫ K b f(p/Kb) over 0 ≤ b ≤ q, ∫b = 1/K. Q enters by
    b ≤ q alone. By the envelope theorem the first variation in q is minus that constraint's multiplier,
        K φ(max(r, 1/c)/K) - K φ(1/Kc),    φ(u) = f(u) - u f′(u) = -f*(f′(u)):
    0 where a sample may be rejected, c r < 1, since more of it would be rejected too; and where every sample is kept,
    that of D_f at the refined ratio r/K. The thesis' loss E_Q[K a f(r̂/Ka)] (6.40) has the value of D_f(P‖Q̃), but with
    r̂ frozen its gradient hangs on which multiple of u - 1 is in f, and can lead uphill (docs/errata.md, R12).

    Attributes:
        divergence: the divergence f that is descended; the thesis' is ``gan``.
        budget: K ≥ 1, draws per sample kept. At K = 1 it is the f-GAN.
        every: iterations after which c is solved for anew, the thesis' N_c.
        delay: the share of the training, at its start, without rejection.
        saturating: whether D_f itself is descended, or that with g″(u) = f″(u)/u, as in f-GANs. Since a is best for
            every divergence, its refined first variation is -K f′(max(r, 1/c)/K).
        calibrated: whether r̂ is read with a slope that is fitted while the critic is trained. A critic that is held
            down understates log r; then all samples may be rejected, and none teaches.
    """

    name: ClassVar[str] = "obrs"
    rows: ClassVar[tuple[str, ...]] = ("likelihood", "warmup", "budget", "every", "delay")
    divergence: Recoverable = "gan"
    budget: float = 2.0
    every: int = 10
    delay: float = 0.25
    saturating: bool = True
    calibrated: bool = False

    def check(self) -> None:
        """A budget, a count and a share."""
        super().check()
        known = get_args(Recoverable)
        require(
            self.divergence in known,
            f"objective.divergence must give the density ratio, which '{self.divergence}' does not; "
            f"use one of {', '.join(known)}",
        )
        require(
            1 <= self.budget < inf,
            f"budget K must be ≥ 1, got {self.budget:g}; use K=1 to accept every sample",
        )
        at_most(_LARGEST_BUDGET, **{"budget K": self.budget})
        require(self.every >= 1, f"objective.every must be ≥ 1, got {self.every}; 1 solves for c every time")
        at_most(10**6, **{"objective.every": self.every})
        require(
            0 <= self.delay <= 0.9,
            f"objective.delay is a share of the training from 0 to 0.9, got {self.delay}; the rest is with rejection",
        )

    def dual(self) -> Divergence:
        """The one named; its critic compares P with Q, the proposals."""
        return dual_of(self.divergence)

    def initial(self) -> tuple[float, ...]:
        """log c, and the logarithm of the slope where one is fitted; c = ∞ keeps every sample."""
        return (inf, 0.0) if self.calibrated else (inf,)

    def slope(self, memory: Tensor) -> Tensor | None:
        """As it is remembered."""
        return memory[:, 1].exp() if self.calibrated else None

    def _read(self, log_ratio: Tensor, memory: Tensor) -> Tensor:
        slope = self.slope(memory)
        return log_ratio if slope is None else log_ratio * slope.unsqueeze(-1)

    def compare(self, memory: Tensor, real: Tensor, fake: Tensor) -> Tensor:
        """A small step towards the slope of logistic regression."""
        import torch

        from trainables.objectives.scale import followed

        if not self.calibrated:
            return memory
        return torch.cat((memory[:, :1], followed(memory[:, 1:], real, fake)), dim=1)

    def remember(self, memory: Tensor, log_ratio: Tensor, columns: Columns) -> Tensor:
        """log c with E_Q[min(c r̂, 1)] = 1/K on these samples, if it is due, or was never solved for."""
        import torch

        from trainables.rejection.obrs import budget_constant

        found = budget_constant(self._read(log_ratio, memory), columns["budget"]).to(memory.dtype)
        due = (columns["step"] % columns["every"].long() == 0) | memory[:, 0].isinf()
        log_c = found.where(due, memory[:, 0]).unsqueeze(-1)
        return torch.cat((log_c, memory[:, 1:]), dim=1)

    def generator_loss(self, fake: Tensor, columns: Columns) -> Tensor:
        """K E_Q[φ(max(r̂, 1/c)/K)], or -K E_Q[f′(max(r̂, 1/c)/K)]; with K = 1 and c = ∞ in the delay."""
        plain = columns["progress"] < columns["delay"]
        budget = columns["budget"].masked_fill(plain, 1.0)
        least = (-columns["memory"][:, 0]).masked_fill(plain, -inf)  # log 1/c
        log_ratio = self._read(self.log_ratio(fake), columns["memory"])
        refined = log_ratio.maximum(least.unsqueeze(-1)) - budget.log().unsqueeze(-1)
        dual = self.dual()
        logit = dual.optimal_logit(refined.clamp(-_LOG_EXTREME, _LOG_EXTREME).exp())
        value = (dual.conjugate_of_activation if self.saturating else dual.activation)(logit)
        return -budget * value.mean(-1)
