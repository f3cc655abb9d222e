"""What an objective is: two losses of logits, and the density ratio that a logit stands for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, ClassVar

from trainables.family import Member, at_most, require

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.models.model import Model

__all__ = ["Adversarial", "Columns", "Objective"]

Columns = Mapping[str, "Tensor"]
"""Fields named in ``rows``, one value per trial: (T,) each. Losses also find ``progress`` there, from 0 to 1: the share
of the iterations after the warm-up that are done; ``memory`` (T, U), where the objective has one; ``log_lam`` (T, B),
one of every sample, where networks take it."""


class Objective(Member, ABC):
    """A member of the family of objectives. Logits are (T, B): trials by batch."""

    @abstractmethod
    def critic_loss(self, real: Tensor, fake: Tensor) -> Tensor:
        """(T,) what the critic minimises, given its logits on real and generated data."""

    @abstractmethod
    def generator_loss(self, fake: Tensor, columns: Columns) -> Tensor | None:
        """(T,) what the generator minimises, given the critic's logits on its samples; None if it hears no critic."""

    @abstractmethod
    def log_ratio(self, logit: Tensor) -> Tensor:
        """log r̂ (T, B), the estimate of log p/q; rejection calibrates its scale."""

    def knows_ratio(self) -> bool:
        """Whether the best critic determines p/q at every point; else log r̂ orders points at most."""
        return True

    def initial(self) -> tuple[float, ...]:
        """U numbers that a trial remembers from iteration to iteration, as they are at the start; nothing for most."""
        return ()

    def remember(self, memory: Tensor, log_ratio: Tensor, columns: Columns) -> Tensor:
        """(T, U) the memory after log r̂ (T, B) of fresh samples; it is called before the generator's loss.

        ``columns`` has ``step`` too, the iterations done. Pure, and without a look at values: it runs in a CUDA graph.
        """
        return memory

    def compare(self, memory: Tensor, real: Tensor, fake: Tensor) -> Tensor:
        """(T, U) the memory after log r̂ (T, B) of real and of generated samples; it is called at every critic step.

        Pure, and without a look at values, as ``remember``.
        """
        return memory

    def slope(self, memory: Tensor) -> Tensor | None:
        """(T,) by what log r̂ of the critic is multiplied, where the objective corrects its scale."""
        return None

    def bend(self, columns: Columns) -> Tensor | None:
        """(T,) the value of log r̂ at which the generator's loss bends, if λ decides where; None without such a λ."""
        return None

    def nll_weight(self, model: Model) -> float:
        """Weight of -log q beside the generator's loss."""
        return 0.0

    def warmup_iterations(self, model: Model, iterations: int) -> float:
        """Iterations, at the start, in which the generator minimises -log q alone."""
        return 0.0

    def lam_begins(self, model: Model, iterations: int) -> float:
        """Iterations after which λ has a say, if there is one."""
        return self.warmup_iterations(model, iterations)

    def lam_span(self) -> tuple[float, float]:
        """The least and the largest λ that samples are drawn for, in a model that takes λ; equal for a single one."""
        return 1.0, 1.0

    def check_model(self, model: Model) -> None:
        """Raise ``ValueError`` with a sentence if a model cannot be trained with this objective."""


@dataclass(frozen=True)
class Adversarial(Objective, ABC):
    """An objective in which the critic teaches the generator; on a model with a density, likelihood can help.

    Attributes:
        likelihood: weight of -log q added to the generator's loss (Grover et al. 2018).
        warmup: iterations of likelihood alone that come first; left open, a quarter of all where there is a density.
    """

    rows: ClassVar[tuple[str, ...]] = ("likelihood", "warmup")
    likelihood: float = 0.0
    warmup: int | None = None

    def check(self) -> None:
        """Weights and counts are not negative."""
        require(0 <= self.likelihood < inf, f"objective.likelihood is a weight ≥ 0, got {self.likelihood}")
        at_most(1e30, **{"objective.likelihood": self.likelihood})
        require(self.warmup is None or self.warmup >= 0, f"objective.warmup must be ≥ 0, got {self.warmup}")

    def check_model(self, model: Model) -> None:
        """Likelihood needs a density."""
        for field in ("likelihood", "warmup"):
            require(
                model.has_density or not getattr(self, field),
                f"objective.{field} needs a model with a density, which '{model.name}' has not; "
                "leave it out, or use model realnvp",
            )

    def nll_weight(self, model: Model) -> float:
        """The field ``likelihood``."""
        return self.likelihood

    def warmup_iterations(self, model: Model, iterations: int) -> float:
        """The field ``warmup``, or a quarter."""
        if not model.has_density:
            return 0.0
        return float(iterations // 4 if self.warmup is None else self.warmup)
