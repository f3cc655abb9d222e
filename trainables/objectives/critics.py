"""Critics: how a raw logit is trained, and the density ratio read from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from torch import Tensor
from torch.nn.functional import relu

from trainables.divergences import DIVERGENCES, Divergence

__all__ = ["CRITICS", "Critic", "DualCritic", "HingeCritic"]


class Critic(ABC):
    """Logits are (T, B): trials by batch."""

    @abstractmethod
    def loss(self, real: Tensor, fake: Tensor) -> Tensor:
        """(T,) what the critic minimises, given its logits on real and generated data."""

    @abstractmethod
    def output(self, logit: Tensor) -> Tensor:
        """The critic's output T, increasing in the logit; a generator raises it."""

    @abstractmethod
    def log_ratio(self, logit: Tensor) -> Tensor:
        """log r̂, the estimate of log p/q."""


@dataclass(frozen=True)
class DualCritic(Critic):
    """Maximises the dual bound E_P[T] - E_Q[f*(T)], T = a(w) (Nowozin et al. 2016, eq. 6)."""

    divergence: Divergence

    def loss(self, real: Tensor, fake: Tensor) -> Tensor:
        """The bound, negated."""
        gained = self.divergence.activation(real).mean(-1)
        paid = self.divergence.conjugate_of_activation(fake).mean(-1)
        return paid - gained

    def output(self, logit: Tensor) -> Tensor:
        """a(w)."""
        return self.divergence.activation(logit)

    def log_ratio(self, logit: Tensor) -> Tensor:
        """At the optimum T = f′(r), so r̂ = f*′(T)."""
        return self.divergence.log_ratio(logit)


class HingeCritic(Critic):
    """Hinge loss (Lim & Ye 2017). Its optimum is the sign of log r, so its logit orders points but has no scale.

    The scale rejection needs is fitted after training (``trainables.rejection.calibration``).
    """

    def loss(self, real: Tensor, fake: Tensor) -> Tensor:
        """E_P[(1 - w)₊] + E_Q[(1 + w)₊]."""
        return relu(1 - real).mean(-1) + relu(1 + fake).mean(-1)

    def output(self, logit: Tensor) -> Tensor:
        """The logit."""
        return logit

    def log_ratio(self, logit: Tensor) -> Tensor:
        """The logit, to be calibrated."""
        return logit


CRITICS: dict[str, Critic] = {
    "logistic": DualCritic(DIVERGENCES["gan"]),
    **{name: DualCritic(DIVERGENCES[name]) for name in ("kl", "reverse_kl", "js", "chi2", "gan")},
    "hinge": HingeCritic(),
}
"""Every critic by name; the dual of ``gan`` is logistic regression of real against generated."""
