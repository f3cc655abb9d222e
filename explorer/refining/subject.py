"""What is refined, against which data, and how it is measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trainables.evaluation.real_side import RealSide
    from trainables.evaluation.settings import EvaluationConfig
    from trainables.refinements.budgeted import Budgeted
    from trainables.rejection.reliability import Reliability
    from trainables.samplers.pool import Drawable

__all__ = ["Ratio", "Subject"]


@dataclass(frozen=True, eq=False)
class Ratio:
    """How the ratio of the densities is known, and how well.

    Attributes:
        source: ``critic``, ``density``, ``classifier`` or ``scores``.
        calibration: the name of the calibration; None where the ratio needs none.
        reliability: what it promises and what is seen, at the largest budget; None where it was not tried.
    """

    source: str
    calibration: str | None = None
    reliability: Reliability | None = None


@dataclass(frozen=True, eq=False)
class Subject:
    """A model with a refinement of it.

    Attributes:
        title: for people: ``trial 0123456789ab of sweep ring``.
        model: that draws are asked of, its ratio calibrated.
        method: the refinement, with the budgets that are asked for.
        real: what it is measured against.
        evaluation: by which metrics, on how many samples.
        ratio: how the ratio is known; None for a refinement that does not ask for it.
        alphas: α_λ of the model as it is at ``TRADE_OFFS``, where the law of the data is known; else empty.
        run, trial, sweep: of a stored trial; else empty.
    """

    title: str
    model: Drawable
    method: Budgeted
    real: RealSide
    evaluation: EvaluationConfig
    ratio: Ratio | None = None
    alphas: tuple[float, ...] = ()
    run: str = ""
    trial: str = ""
    sweep: str = ""
