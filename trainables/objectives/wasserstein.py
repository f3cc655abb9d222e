"""The Wasserstein GAN (Arjovsky et al. 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.objectives.objective import Adversarial, Columns

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Wasserstein"]


@dataclass(frozen=True)
class Wasserstein(Adversarial):
    """The dual of the earth mover's distance, E_P[w] - E_Q[w] over 1-Lipschitz critics.

    Only a constrained critic measures a distance: use it with ``constraint: {name: spectral, lipschitz: 1}``. Its logit
    orders points as log r does where the critic is steep, but has no scale; rejection calibrates it.
    """

    name: ClassVar[str] = "wasserstein"

    def critic_loss(self, real: Tensor, fake: Tensor) -> Tensor:
        """E_Q[w] - E_P[w]."""
        return fake.mean(-1) - real.mean(-1)

    def generator_loss(self, fake: Tensor, columns: Columns) -> Tensor:
        """-E_Q[w]."""
        return -fake.mean(-1)

    def knows_ratio(self) -> bool:
        """No: the potential of a transport is no function of the ratio."""
        return False

    def log_ratio(self, logit: Tensor) -> Tensor:
        """The logit, to be calibrated."""
        return logit
