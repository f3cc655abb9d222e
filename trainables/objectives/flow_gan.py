"""Flow-GAN (Grover et al. 2018): an f-GAN whose generator has a density, and a term of likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, get_args

from trainables.objectives.fgan import FGan, Named, Recoverable, dual_of
from trainables.objectives.mle import require_density

if TYPE_CHECKING:
    from trainables.divergences import Divergence
    from trainables.models.model import Model

__all__ = ["FlowGan"]


@dataclass(frozen=True)
class FlowGan(FGan):
    """An f-GAN, ``gan`` unless said otherwise, with a weight γ of 0.1 on -log q (Vérine 2024, 2.26).

    Attributes:
        divergence: the divergence whose f-GAN it is.
    """

    name: ClassVar[str] = "flow_gan"
    likelihood: float = 0.1
    divergence: Named = "gan"

    def check_model(self, model: Model) -> None:
        """It is meant for flows."""
        require_density(self.name, model)

    def dual(self) -> Divergence:
        """The one named."""
        return dual_of(self.divergence)

    def knows_ratio(self) -> bool:
        """As the f-GAN of that divergence does."""
        return self.divergence in get_args(Recoverable)
