"""The hinge loss (Lim & Ye 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.objectives.objective import Adversarial, Columns

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Hinge"]


@dataclass(frozen=True)
class Hinge(Adversarial):
    """Its optimum is the sign of log r, so its logit orders points but has no scale.

    The scale rejection needs is fitted after training (``trainables.rejection.calibration``).
    """

    name: ClassVar[str] = "hinge"

    def critic_loss(self, real: Tensor, fake: Tensor) -> Tensor:
        """E_P[(1 - w)₊] + E_Q[(1 + w)₊]."""
        return (1 - real).clamp(min=0.0).mean(-1) + (1 + fake).clamp(min=0.0).mean(-1)

    def generator_loss(self, fake: Tensor, columns: Columns) -> Tensor:
        """-E_Q[w]."""
        return -fake.mean(-1)

    def knows_ratio(self) -> bool:
        """No: of r it learns on which side of 1 it lies."""
        return False

    def log_ratio(self, logit: Tensor) -> Tensor:
        """The logit, to be calibrated."""
        return logit
