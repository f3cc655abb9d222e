"""Maximum likelihood, for models with a density."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, ClassVar

from trainables.family import require
from trainables.objectives.fgan import dual_loss, dual_of
from trainables.objectives.objective import Columns, Objective

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.models.model import Model

__all__ = ["MaximumLikelihood", "require_density"]


def require_density(objective: str, model: Model) -> None:
    """Refuse models without a likelihood."""
    require(
        model.has_density,
        f"objective '{objective}' needs a likelihood, which model '{model.name}' lacks; use model realnvp",
    )


@dataclass(frozen=True)
class MaximumLikelihood(Objective):
    """-E_P[log q]. The critic learns the ratio only, for rejection; the generator does not hear it."""

    name: ClassVar[str] = "mle"

    def check_model(self, model: Model) -> None:
        """It needs a density."""
        require_density(self.name, model)

    def critic_loss(self, real: Tensor, fake: Tensor) -> Tensor:
        """Logistic regression of real against generated."""
        return dual_loss(dual_of("gan"), real, fake)

    def generator_loss(self, fake: Tensor, columns: Columns) -> None:
        """None."""

    def warmup_iterations(self, model: Model, iterations: int) -> float:
        """Likelihood alone, to the end."""
        return inf

    def log_ratio(self, logit: Tensor) -> Tensor:
        """The logit of a logistic regression is the log ratio."""
        return dual_of("gan").log_ratio(logit)
