"""The f-GAN of the PR-divergence itself (Vérine 2024, 5.2 and C.1.1), kept to show why another critic is needed."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, ClassVar

from trainables.objectives.fgan import dual_loss
from trainables.objectives.objective import Adversarial, Columns
from trainables.objectives.pr import require_lam

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.divergences import Divergence

__all__ = ["NaivePR"]


@dataclass(frozen=True)
class NaivePR(Adversarial):
    """The dual bound of D_λ, T = λσ(w): its best critic is a step, whose gradient lives on the edge λr = 1 alone.

    Attributes:
        lam: λ; large asks for precision, small for recall. The critic's loss depends on it, so it is no row.
    """

    name: ClassVar[str] = "naive_pr"
    lam: float = 1.0

    def check(self) -> None:
        """λ is positive."""
        super().check()
        require_lam(self.lam)

    def lam_span(self) -> tuple[float, float]:
        """λ alone."""
        return self.lam, self.lam

    def _dual(self) -> Divergence:
        from trainables.divergences import pr

        return pr(self.lam)

    def critic_loss(self, real: Tensor, fake: Tensor) -> Tensor:
        """The bound λE_P[σ(w)] - E_Q[σ(w)] - max(λ, 1) + 1, negated."""
        return dual_loss(self._dual(), real, fake)

    def generator_loss(self, fake: Tensor, columns: Columns) -> Tensor:
        """-E_Q[f*(T)] = -E_Q[σ(w)] up to a constant, which is -E_Q[T]/λ: here both losses of f-GANs are one.

        σ(w) is the step 1{λr > 1} at the best critic, the first variation of D_λ. It points downhill, but only points
        on the edge hear it: for |w| > 4 the gradient is below 7% of its greatest, and it falls by e per unit of w.
        """
        return -self._dual().conjugate_of_activation(fake).mean(-1)

    def knows_ratio(self) -> bool:
        """No: of r it learns on which side of 1/λ it lies."""
        return False

    def log_ratio(self, logit: Tensor) -> Tensor:
        """w - log λ, to be calibrated: of r the critic learns on which side of 1/λ it lies, w = 0, and no more."""
        return logit - log(self.lam)

    def bend(self, columns: Columns) -> Tensor:
        """σ bends at w = 0, where λr = 1."""
        import torch

        return torch.full_like(columns["likelihood"], -log(self.lam))
