"""The result of a trial: a list of readings, each one look at the trained model."""

from __future__ import annotations

from dataclasses import astuple, dataclass, field, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from trainables.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from trainables.evaluation.findings import Findings
    from trainables.samplers.ratios import Ratios

__all__ = ["PLAIN", "Cost", "Evaluation", "Reading", "mean_readings"]

PLAIN = ("none", 1.0)
"""Method and budget of a model as it is; what every refinement is at K = 1."""


@dataclass(frozen=True)
class Cost:
    """What one sample that is kept costs on average."""

    draws: float = 1.0
    scores: float = 0.0
    gradients: float = 0.0


@dataclass(frozen=True, eq=False)
class Reading:
    """One look at a trained trial.

    Attributes:
        method: the refinement, ``none`` for the model as it is.
        budget: its K ≥ 1.
        metrics: by key of the catalogue.
        cost: of one sample; None for the model as it is.
        samples: (n, *shape) points to show; images as bytes.
        classes: (n,) of these, where the model makes samples of a class.
        rejected: (m, *shape) samples that the refinement refused, where that is known: points as they were drawn, of
            images the worst first.
    """

    method: str
    budget: float
    metrics: dict[str, float]
    cost: Cost | None = None
    samples: np.ndarray | None = None
    classes: np.ndarray | None = None
    rejected: np.ndarray | None = None

    @property
    def key(self) -> tuple[str, float]:
        """Method and budget."""
        return self.method, self.budget


def mean_readings(repeats: Sequence[tuple[Reading, ...] | Fault]) -> tuple[Reading, ...] | Fault:
    """Of the readings of one trial on several draws: every number the mean of all, points to show those of the first.

    An end of an interval is the mean of these ends, so that the interval is as wide as that of one draw. A number that
    a draw did not have is left out; a fault of one draw is the trial's.
    """
    sound = [one for one in repeats if not isinstance(one, Fault)]
    if len(sound) < len(repeats):
        return next(one for one in repeats if isinstance(one, Fault))
    return sound[0] if len(sound) == 1 else tuple(_mean(same) for same in zip(*sound, strict=True))


def _mean(same: Sequence[Reading]) -> Reading:
    metrics = {
        key: fmean(one.metrics[key] for one in same)
        for key in same[0].metrics
        if all(key in one.metrics for one in same)
    }
    costs = [one.cost for one in same if one.cost is not None]
    cost = Cost(*(fmean(values) for values in zip(*map(astuple, costs), strict=True))) if costs else None
    return replace(same[0], metrics=metrics, cost=cost)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """One trial at one iteration.

    Attributes:
        iteration: training iterations so far.
        final: whether the trial is trained to its end.
        readings: the plain one first, alone unless ``final``; none of a trial at fault.
        diagnostics: how training goes, by key of the catalogue.
        real: (n, *shape) real points to show beside samples; images as bytes.
        real_classes: (n,) of these, where samples have classes too.
        curve: the PR curve: ``lambda``, ``precision``, ``recall``, ``error`` of the precision, ``source``; empty where
            the law is not known.
        fault: why the trial cannot go on, if so.
        findings: of the model as it is, at a ``final`` evaluation.
        ratios: what its critic says of its draws, at a ``final`` evaluation; it goes into the trial's own file, and no
            further.
    """

    iteration: int
    final: bool
    readings: tuple[Reading, ...] = ()
    diagnostics: dict[str, float] = field(default_factory=dict)
    real: np.ndarray | None = None
    curve: dict[str, Any] = field(default_factory=dict)
    fault: Fault | None = None
    real_classes: np.ndarray | None = None
    findings: Findings | None = None
    ratios: Ratios | None = None

    @property
    def metrics(self) -> dict[str, float]:
        """Metrics of the model as it is."""
        return self.readings[0].metrics if self.readings else {}
