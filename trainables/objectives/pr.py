"""PR-GAN: the PR-divergence at λ, trained through an auxiliary critic (Vérine 2024, chapter 5)."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, ClassVar, Literal

from trainables.family import require
from trainables.objectives.fgan import dual_loss, dual_of
from trainables.objectives.objective import Adversarial, Columns

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.divergences import Divergence

__all__ = ["PR"]


@dataclass(frozen=True)
class PR(Adversarial):
    """α_λ = E_Q[min(λ r, 1)] is the precision at λ; a critic of another divergence estimates r.

    Attributes:
        lam: λ; large asks for precision, small for recall.
        critic: ``logistic`` regression, or ``chi2``, the thesis' choice.
        form: of the generator's loss: ``primal``, or ``log`` where λ ≥ 1 and primal below.
    """

    name: ClassVar[str] = "pr"
    rows: ClassVar[tuple[str, ...]] = ("likelihood", "warmup", "lam")
    lam: float = 1.0
    critic: Literal["logistic", "chi2"] = "logistic"
    form: Literal["log", "primal"] = "log"

    def check(self) -> None:
        """λ is positive."""
        super().check()
        require(
            0 < self.lam < inf,
            f"λ must be positive and finite, got {self.lam}; large λ asks for precision, small λ for recall",
        )
        require(
            1e-30 <= self.lam <= 1e30, f"λ must lie within single precision, 1e-30 to 1e30, got {self.lam}"
        )

    def _dual(self) -> Divergence:
        return dual_of({"logistic": "gan"}.get(self.critic, self.critic))

    def critic_loss(self, real: Tensor, fake: Tensor) -> Tensor:
        """The dual bound of the auxiliary divergence, negated."""
        return dual_loss(self._dual(), real, fake)

    def generator_loss(self, fake: Tensor, columns: Columns) -> Tensor:
        """-E_Q[min(λ r̂, 1)] / min(λ, 1), the precision at λ, negated and rescaled; or its log form.

        It is not the loss of the thesis' Algorithm 3, E_Q[f_λ(r̂)]. As values the two are D_λ, up to a constant; but r̂
        is frozen while the generator moves, ∇E_Q[r̂] is not 0, and descent on E_Q[f_λ(r̂)] pushes points with λ r̂ > 1
        away from the data (docs/errata.md, G8).

        Dividing by min(λ, 1) lets every λ take steps of one size. The log form -E_Q[min(log λ r̂, 0)] is the
        f-divergence of f(u) = max(-log λu, 0), zero for exactly the models for which PR-λ is (q ≤ λp), but its gradient
        does not vanish on far outliers, where r̂ → 0: this is what makes large λ work in practice.
        """
        lam = columns["lam"]
        capped = (self.log_ratio(fake) + lam.log().unsqueeze(-1)).clamp(max=0.0)  # log min(λ r̂, 1)
        primal = -capped.exp().mean(-1) / lam.clamp(max=1.0)
        if self.form == "primal":
            return primal
        return (-capped.mean(-1)).where(lam >= 1, primal)

    def log_ratio(self, logit: Tensor) -> Tensor:
        """At the optimum of the auxiliary divergence."""
        return self._dual().log_ratio(logit)

    def bend(self, columns: Columns) -> Tensor:
        """min(λ r̂, 1) bends where log r̂ = -log λ."""
        return -columns["lam"].log()
