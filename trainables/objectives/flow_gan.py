"""Flow-GAN (Grover et al. 2018): a GAN whose generator has a density, and a term of likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.objectives.fgan import dual_loss, dual_of
from trainables.objectives.mle import require_density
from trainables.objectives.objective import Adversarial, Columns

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.models.model import Model

__all__ = ["FlowGan"]


@dataclass(frozen=True)
class FlowGan(Adversarial):
    """``gan`` with a weight of 0.1 on -log q."""

    name: ClassVar[str] = "flow_gan"
    likelihood: float = 0.1

    def check_model(self, model: Model) -> None:
        """It is meant for flows."""
        require_density(self.name, model)

    def critic_loss(self, real: Tensor, fake: Tensor) -> Tensor:
        """Logistic regression of real against generated."""
        return dual_loss(dual_of("gan"), real, fake)

    def generator_loss(self, fake: Tensor, columns: Columns) -> Tensor:
        """-E_Q[T], as ``gan``."""
        return -dual_of("gan").activation(fake).mean(-1)

    def log_ratio(self, logit: Tensor) -> Tensor:
        """The logit of a logistic regression is the log ratio."""
        return dual_of("gan").log_ratio(logit)
