"""PR-GAN: the PR-divergence at λ, trained through an auxiliary critic (Vérine 2024, chapter 5)."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from trainables.family import require
from trainables.objectives.fgan import Recoverable, dual_loss, dual_of
from trainables.objectives.objective import Adversarial, Columns

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.divergences import Divergence
    from trainables.models.model import Model

__all__ = ["PR", "require_lam"]

_REACH = {"chi2": (0.04, inf), "jeffreys": (0.0, 25.0)}
"""λ that a critic can serve: logits lie within ±30, where r̂ of χ² stays below 30, that of Jeffreys above 1/27."""

_COVERING = 0.2
"""The largest λ of the part of the training that covers."""


def require_lam(lam: float) -> None:
    """λ is a positive number of single precision."""
    require(
        0 < lam < inf,
        f"λ must be positive and finite, got {lam}; large λ asks for precision, small λ for recall",
    )
    require(1e-30 <= lam <= 1e30, f"λ must lie within single precision, 1e-30 to 1e30, got {lam}")


@dataclass(frozen=True)
class PR(Adversarial):
    """α_λ = E_Q[min(λ r, 1)] is the precision at λ; a critic of another divergence estimates r.

    Attributes:
        lam: λ; large asks for precision, small for recall.
        critic: what estimates the ratio r: ``logistic`` regression, ``chi2``, the thesis' choice, or another divergence
            whose critic knows r.
        form: form of the generator's loss: ``step``, whose descent is that of the divergence itself; ``primal``, or
            ``log`` where λ ≥ 1 and primal below.
        sharpness: how closely the step form keeps to λ.
        cover: the share of the training, at its start, in which the model learns to cover the data, whatever λ is.
        calibrated: whether λ is held against log r̂ times a slope, that of logistic regression of real against
            generated samples, which is fitted while the critic is trained. A critic that is held down understates log
            r, and then every λ but those near 1 would never cap or starve.
        lams: least and largest λ, for a model that takes λ: every sample is drawn for a λ of its own between them,
            evenly in log λ, and ``lam`` is only where the model is read. One training is then a curve in λ.
    """

    name: ClassVar[str] = "pr"
    rows: ClassVar[tuple[str, ...]] = ("likelihood", "warmup", "lam")
    lam: float = 1.0
    critic: Literal["logistic", Recoverable] = "logistic"
    form: Literal["log", "primal", "step"] = "log"
    sharpness: float = 4.0
    cover: float = 0.0
    calibrated: bool = False
    lams: tuple[float, float] | None = None

    def check(self) -> None:
        """λ is positive, and so is what is left of the training for it."""
        super().check()
        require(
            0 < self.sharpness <= 100,
            f"objective.sharpness must lie in (0, 100], got {self.sharpness}; 4 keeps λ within about a factor of 2",
        )
        require(
            0 <= self.cover <= 0.9,
            f"objective.cover is a share of the training from 0 to 0.9, got {self.cover}; the rest is for λ",
        )
        for lam in (self.lam, *(self.lams or ())):
            require_lam(lam)
        low, high = self.lam_span()
        require(
            low <= self.lam <= high,
            f"objective.lams must be a smaller and a larger λ with objective.lam between them, got {low:g} and "
            f"{high:g} for λ = {self.lam:g}",
        )
        self._check_critic()

    def _check_critic(self) -> None:
        """It knows the ratio, on both sides of 1/λ: else every λ beyond its reach would train one loss."""
        known = ("logistic", *get_args(Recoverable))
        require(
            self.critic in known,
            f"objective.critic must know the density ratio, which '{self.critic}' does not; "
            f"use one of {', '.join(known)}",
        )
        if self.critic == "gan":
            object.__setattr__(self, "critic", "logistic")  # one spelling for one choice
        least, most = _REACH.get(self.critic, (0.0, inf))
        low, high = self.lam_span()
        require(
            least <= low and high <= most,
            f"critic '{self.critic}' tells ratios apart for λ from {least:g} to {most:g}, got "
            f"λ = {low if low < least else high:g}; use critic logistic",
        )

    def check_model(self, model: Model) -> None:
        """Only a model that takes λ can be trained for many."""
        super().check_model(model)
        require(
            self.lams is None or model.takes_lam,
            f"objective.lams needs a model that takes λ as an input, and '{model.name}' does not; write "
            "model.takes_lam: true, which mlp_gan and dcgan have, or leave it out",
        )

    def lam_span(self) -> tuple[float, float]:
        """The field ``lams``, or λ alone."""
        return (self.lam, self.lam) if self.lams is None else self.lams

    def _dual(self) -> Divergence:
        return dual_of({"logistic": "gan"}.get(self.critic, self.critic))

    def critic_loss(self, real: Tensor, fake: Tensor) -> Tensor:
        """The dual bound of the auxiliary divergence, negated."""
        return dual_loss(self._dual(), real, fake)

    def generator_loss(self, fake: Tensor, columns: Columns) -> Tensor:
        """-E_Q[min(λ r̂, 1)] / min(λ, 1), the precision at λ, negated and rescaled; or its log form, or the step.

        It is not the loss of the thesis' Algorithm 3, E_Q[f_λ(r̂)]. As values the two are D_λ, up to a constant; but r̂
        is frozen while the generator moves, ∇E_Q[r̂] is not 0, and descent on E_Q[f_λ(r̂)] pushes points with λ r̂ > 1
        away from the data (docs/errata.md, G8).

        Dividing by min(λ, 1) lets every λ take steps of one size. The log form -E_Q[min(log λ r̂, 0)] is the
        f-divergence of f(u) = max(-log λu, 0), zero for exactly the models for which PR-λ is (q ≤ λp), but its gradient
        does not vanish on far outliers, where r̂ → 0: this is what makes large λ work from a random start.

        Neither is the descent of D_λ, whose first variation, with r frozen, is the step -1{λr > 1}: its gradient lives
        on the edge alone. The step form is -E_Q[σ(s log λr̂)], s the sharpness: the first variation f(r) - r f′(r) of
        the divergence with f″(r) = s σ(1-σ)/r². By D_f = ∫ t⁻³ f″(1/t) D_t dt that is ∫ D_t k(t) dt, with log t
        logistic around log λ of scale 1/s: a mean of D_t over t near λ, and D_λ as s → ∞. It hears nothing from far
        outliers either, so it takes up a model that covers: a flow after its warm-up, or a GAN after ``cover``, the
        first part of the training, in which the loss is the primal one at λ ≤ 0.2.
        """
        slope = self.slope(columns["memory"]) if self.calibrated else None
        log_ratio = self.log_ratio(fake) if slope is None else self.log_ratio(fake) * slope.unsqueeze(-1)
        lam = columns["log_lam"].exp() if "log_lam" in columns else columns["lam"].unsqueeze(-1)
        loss = self._loss(log_ratio, lam)
        if not self.cover:
            return loss
        first = _primal(log_ratio, lam.clamp(max=_COVERING)).mean(-1)
        return first.where(columns["progress"] < self.cover, loss)

    def _loss(self, log_ratio: Tensor, lam: Tensor) -> Tensor:
        beyond = log_ratio + lam.log()  # log λ r̂
        if self.form == "step":
            return -(self.sharpness * beyond).sigmoid().mean(-1)
        primal = _primal(log_ratio, lam)
        if self.form == "primal":
            return primal.mean(-1)
        return (-beyond.clamp(max=0.0)).where(lam >= 1, primal).mean(-1)

    def lam_begins(self, model: Model, iterations: int) -> float:
        """After the warm-up, and after what of the rest goes to covering."""
        first = self.warmup_iterations(model, iterations)
        return first + self.cover * (iterations - first)

    def log_ratio(self, logit: Tensor) -> Tensor:
        """At the optimum of the auxiliary divergence."""
        return self._dual().log_ratio(logit)

    def initial(self) -> tuple[float, ...]:
        """The logarithm of the slope."""
        return (0.0,) if self.calibrated else ()

    def slope(self, memory: Tensor) -> Tensor | None:
        """As it is remembered."""
        return memory[:, 0].exp() if self.calibrated else None

    def compare(self, memory: Tensor, real: Tensor, fake: Tensor) -> Tensor:
        """A small step towards the slope of logistic regression."""
        from trainables.objectives.scale import followed

        return followed(memory, real, fake) if self.calibrated else memory

    def bend(self, columns: Columns) -> Tensor:
        """min(λ r̂, 1) bends where log r̂ = -log λ."""
        return -columns["lam"].log()


def _primal(log_ratio: Tensor, lam: Tensor) -> Tensor:
    """-min(λ r̂, 1) / min(λ, 1) of every sample, (T, B) of log r̂ (T, B) and λ (T, 1) or (T, B)."""
    return -(log_ratio + lam.log()).clamp(max=0.0).exp() / lam.clamp(max=1.0)
