"""f-GANs: the critic maximises the dual bound of an f-divergence (Nowozin et al. 2016)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from trainables.family import require
from trainables.objectives.objective import Adversarial, Columns

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.divergences import Divergence

__all__ = [
    "KL",
    "Amari",
    "FGan",
    "Gan",
    "Hellinger",
    "Jeffreys",
    "JensenShannon",
    "Named",
    "PearsonChi2",
    "Recoverable",
    "ReverseKL",
    "TotalVariation",
    "dual_loss",
    "dual_of",
]

Recoverable: TypeAlias = Literal["kl", "reverse_kl", "jeffreys", "js", "gan", "chi2", "hellinger"]
"""Divergences of the registry whose best critic knows the ratio: f is strictly convex."""

Named: TypeAlias = Literal["kl", "reverse_kl", "tv", "jeffreys", "js", "gan", "chi2", "hellinger"]
"""Every divergence of the registry."""


def dual_of(name: str) -> Divergence:
    """The divergence of that name; torch is loaded now."""
    from trainables.divergences import DIVERGENCES

    return DIVERGENCES[name]


def dual_loss(divergence: Divergence, real: Tensor, fake: Tensor) -> Tensor:
    """The dual bound E_P[T] - E_Q[f*(T)], T = a(w), negated (Nowozin et al. 2016, eq. 6): (T, B), (T, B) → (T,)."""
    return divergence.conjugate_of_activation(fake).mean(-1) - divergence.activation(real).mean(-1)


@dataclass(frozen=True)
class FGan(Adversarial):
    """The f-GAN of the divergence that bears the member's name.

    Attributes:
        saturating: whether the generator lowers the bound itself, -E_Q[f*(T)], or raises the critic's output, -E_Q[T].

    With r̂ frozen, -f*(f′(r)) = f(r) - r f′(r) is the first variation of D_f: the saturating loss descends D_f. -f′(r)
    is that of another divergence, g″(u) = f″(u)/u, which weighs small ratios more and seeks modes more: for ``kl`` it
    is the reverse one, for ``chi2`` 2 KL, for ``gan`` KL(Q‖P) - 2 JS (Arjovsky & Bottou 2017, 2.5), for ``amari`` that
    of α - 1. It does not vanish where the critic wins, which is why it is the usual one.
    """

    saturating: bool = False

    def dual(self) -> Divergence:
        """The divergence whose dual the critic maximises."""
        return dual_of(self.name)

    def critic_loss(self, real: Tensor, fake: Tensor) -> Tensor:
        """The bound, negated."""
        return dual_loss(self.dual(), real, fake)

    def generator_loss(self, fake: Tensor, columns: Columns) -> Tensor:
        """-E_Q[T] (Nowozin et al. 2016, 3.2; for ``gan`` Goodfellow et al. 2014), or -E_Q[f*(T)]."""
        dual = self.dual()
        return -(dual.conjugate_of_activation if self.saturating else dual.activation)(fake).mean(-1)

    def log_ratio(self, logit: Tensor) -> Tensor:
        """At the optimum T = f′(r), so r̂ = f*′(T); of total variation the logit, to be calibrated."""
        dual = self.dual()
        return dual.log_ratio(logit) if dual.recovers_ratio else logit


@dataclass(frozen=True)
class KL(FGan):
    """Kullback-Leibler, f(u) = u log u."""

    name: ClassVar[str] = "kl"


@dataclass(frozen=True)
class ReverseKL(FGan):
    """Reverse Kullback-Leibler, f(u) = -log u."""

    name: ClassVar[str] = "reverse_kl"


@dataclass(frozen=True)
class JensenShannon(FGan):
    """Jensen-Shannon."""

    name: ClassVar[str] = "js"


@dataclass(frozen=True)
class PearsonChi2(FGan):
    """Pearson's χ², f(u) = (u - 1)²."""

    name: ClassVar[str] = "chi2"


@dataclass(frozen=True)
class Gan(FGan):
    """The GAN of Goodfellow et al. 2014; its critic is logistic regression of real against generated."""

    name: ClassVar[str] = "gan"


@dataclass(frozen=True)
class TotalVariation(FGan):
    """Total variation, f(u) = ½|u - 1|, kept to show how it fails.

    Its critic learns the sign of log r: the logit orders points, but has no scale, and rejection calibrates it. The
    best output is a step, so that the generator's gradient lives on its edge alone (Vérine 2024, 5.1).
    """

    name: ClassVar[str] = "tv"

    def knows_ratio(self) -> bool:
        """No: f is not strictly convex."""
        return False


@dataclass(frozen=True)
class Jeffreys(FGan):
    """Jeffreys' divergence, KL in both directions, f(u) = (u - 1) log u."""

    name: ClassVar[str] = "jeffreys"


@dataclass(frozen=True)
class Hellinger(FGan):
    """The squared Hellinger distance, f(u) = (√u - 1)²."""

    name: ClassVar[str] = "hellinger"


@dataclass(frozen=True)
class Amari(FGan):
    """Amari's α-divergence, f″(u) = u^{α-2}: reverse KL at 0, 2·Hellinger² at ½, KL at 1, ½χ² at 2.

    Large α asks for coverage, small α for modes (Vérine 2024, table 2.1).

    Attributes:
        alpha: α; large asks for coverage, small for modes.
    """

    name: ClassVar[str] = "amari"
    alpha: float = 0.5

    def check(self) -> None:
        """α is a number of ordinary size."""
        super().check()
        require(
            -10 <= self.alpha <= 10,
            f"objective.alpha must lie from -10 to 10, got {self.alpha}; 0.5 is twice the Hellinger distance",
        )

    def dual(self) -> Divergence:
        """That of α."""
        from trainables.divergences import amari

        return amari(self.alpha)
