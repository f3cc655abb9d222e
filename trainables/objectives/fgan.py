"""f-GANs: the critic maximises the dual bound of an f-divergence (Nowozin et al. 2016)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.objectives.objective import Adversarial, Columns

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.divergences import Divergence

__all__ = ["KL", "FGan", "Gan", "JensenShannon", "PearsonChi2", "ReverseKL", "dual_loss", "dual_of"]


def dual_of(name: str) -> Divergence:
    """The divergence of that name; torch is loaded now."""
    from trainables.divergences import DIVERGENCES

    return DIVERGENCES[name]


def dual_loss(divergence: Divergence, real: Tensor, fake: Tensor) -> Tensor:
    """The dual bound E_P[T] - E_Q[f*(T)], T = a(w), negated (Nowozin et al. 2016, eq. 6): (T, B), (T, B) → (T,)."""
    return divergence.conjugate_of_activation(fake).mean(-1) - divergence.activation(real).mean(-1)


class FGan(Adversarial):
    """The f-GAN of the divergence that bears the member's name."""

    def critic_loss(self, real: Tensor, fake: Tensor) -> Tensor:
        """The bound, negated."""
        return dual_loss(dual_of(self.name), real, fake)

    def generator_loss(self, fake: Tensor, columns: Columns) -> Tensor:
        """-E_Q[T]: raise the critic's output on generated data (Nowozin et al. 2016, 3.2).

        T = f′(r̂) increases with r̂, so it points where -E_Q[f*(T)] points, without vanishing where the critic wins.
        For ``gan`` it is the loss of Goodfellow et al. 2014.
        """
        return -dual_of(self.name).activation(fake).mean(-1)

    def log_ratio(self, logit: Tensor) -> Tensor:
        """At the optimum T = f′(r), so r̂ = f*′(T)."""
        return dual_of(self.name).log_ratio(logit)


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
