"""Models of which all is known as subjects of refinement: points of normal laws, and pictures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import torch
from scipy import stats
from torch import Tensor

from explorer.refining.refined import Refined, refined
from explorer.refining.subject import Ratio, Subject
from explorer.store.schema import TRADE_OFFS
from tests.trainables.samplers.known import Known
from trainables.evaluation.real_side import RealSide
from trainables.evaluation.settings import EvaluationConfig
from trainables.extractors.identity import Identity
from trainables.refinements.budgeted import Budgeted
from trainables.refinements.obrs import Obrs
from trainables.rejection.calibrations import Slope
from trainables.safetensors import Array
from trainables.samplers.calibrating import calibrated_on
from trainables.samplers.pool import Pool
from trainables.sources.array_source import ArraySource
from trainables.sources.law_source import LawSource
from trainables.sources.mixture import GaussianMixture
from trainables.spans import as_bytes

__all__ = ["Pictures", "alpha", "alphas", "normal_subject", "picture_subject", "read"]

OBRS = Obrs(budgets=(1, 1.5, 4))


def alpha(lam: float, distance: float) -> float:
    """α_λ = ∫ min(λp, q) of Q = N(0, 1)^d and P = N(μ, 1)^d at a distance ‖μ‖ > 0."""
    t = distance / 2 - math.log(lam) / distance
    return float(lam * stats.norm.cdf(t - distance) + stats.norm.sf(t))


def alphas(distance: float) -> tuple[float, ...]:
    """At ``TRADE_OFFS``, as a stored trial has them."""
    return tuple(alpha(lam, distance) for lam in TRADE_OFFS)


def normal_subject(
    method: Budgeted = OBRS,
    mean: Sequence[float] = (1.0, 0.5),
    evaluation: EvaluationConfig | None = None,
    judged: bool = False,
    lawful: bool = True,
) -> Subject:
    """Q = N(0, 1)^d against P = N(mean, 1)^d by the exact ratio; ``judged`` it is on request, and α_λ ``lawful``."""
    found = replace(evaluation or EvaluationConfig(samples=300, intervals=True), features=Identity())
    law = GaussianMixture(torch.tensor([list(mean)]), torch.ones(1, dtype=torch.float64), 1.0)
    model = Known(tuple(mean))
    ratio = Ratio("critic", "none")
    if judged:
        judgement = calibrated_on(model, Slope, model.real(600), 600, 1, 4.0).reliability
        ratio = Ratio("critic", "slope", judgement)
    return Subject(
        title="trial 0123456789ab of sweep known",
        model=model,
        method=method,
        real=RealSide(LawSource(law), Identity(), found.samples),
        evaluation=found,
        ratio=ratio if method.scored else None,
        alphas=alphas(math.hypot(*mean)) if lawful else (),
        run="f" * 32,
        trial="0123456789ab",
        sweep="known",
    )


@dataclass(frozen=True)
class Pictures:
    """Images (c, 6, 6) in [-1, 1], each of one brightness of its own: the brighter, the likelier."""

    channels: int = 1
    classes: int | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one image."""
        return (self.channels, 6, 6)

    def pools(self, seed: int, first: int = 0) -> Iterator[Pool]:
        """The draws of a seed."""
        for pool in Known((2.0,)).pools(seed, first):
            made = partial(self._made, pool.points)
            classes = None if self.classes is None else torch.arange(len(pool.points)) % self.classes
            yield Pool(made, pool.log_ratio, pool.uniform, classes)

    def _made(self, values: Tensor) -> Tensor:
        return torch.tanh(values / 2)[:, :, None, None].expand(-1, *self.shape)

    def shown(self, points: Tensor) -> Array:
        """As bytes."""
        return as_bytes(points, (-1.0, 1.0))

    def real(self, count: int) -> Tensor:
        """Images of the data."""
        return self._made(Known((2.0,)).real(count))


def picture_subject(model: Pictures, samples: int = 200) -> Subject:
    """Images by their pixels."""
    source = ArraySource(model.real(4 * samples), held_out=0.5, span=(-1.0, 1.0))
    evaluation = EvaluationConfig(samples=samples, features=Identity())
    side = RealSide(source, Identity(), samples)
    return Subject("generator pictures.pt", model, OBRS, side, evaluation, Ratio("critic", "none"))


def read(subject: Subject, seed: int = 0) -> Refined:
    """What is found of it."""
    return refined(subject, seed)
