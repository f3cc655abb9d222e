"""A model read through a refinement at several budgets: numbers for JSON, for tables and for pages."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from explorer.errors import UserError
from explorer.refining.foretold import Foretold, foretold
from explorer.store.schema import budget_text

if TYPE_CHECKING:
    import pandas as pd

    from explorer.refining.subject import Subject
    from trainables.evaluation.refined import RefinedReading

__all__ = ["ENDS", "Refined", "refined"]

ENDS = (".low", ".high")
Stage = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Refined:
    """Readings of a model at budgets, the model as it is first, with what theory foretold of them.

    Attributes:
        subject: what was refined.
        seed: of the draws.
        readings: ascending in K.
        foretold: what theory says; None where it says nothing.
    """

    subject: Subject
    seed: int
    readings: Sequence[RefinedReading]
    foretold: Foretold | None

    @property
    def tuned_on(self) -> int:
        """Draws on which constants of budgets were found."""
        return max(one.tuned_on for one in self.readings)

    def document(self) -> dict[str, Any]:
        """Plain values; ``budgets`` is keyed by K as text: ``1``, ``1.5``, ``2``."""
        subject, evaluation = self.subject, self.subject.evaluation
        ratio = subject.ratio
        stored = {"sweep": subject.sweep, "trial": subject.trial, "run": subject.run} if subject.run else {}
        fields = {name: value for name, value in subject.method.changed().items() if name != "budgets"}
        return {
            "model": subject.title,
            **stored,
            "method": subject.method.name,
            "fields": fields,
            "ratio": None if ratio is None else {"source": ratio.source, "calibration": ratio.calibration},
            "settings": {
                "samples": evaluation.samples,
                "seed": self.seed,
                "k": evaluation.k,
                "features": None if evaluation.features is None else evaluation.features.name,
                "tuned_on": self.tuned_on,
            },
            "predicted_from": None if self.foretold is None else self.foretold.source,
            "budgets": {budget_text(one.budget): self._reading(one) for one in self.readings},
            "reliability": None if ratio is None or ratio.reliability is None else ratio.reliability.plain(),
        }

    def _reading(self, one: RefinedReading) -> dict[str, Any]:
        names = [name for name in one.metrics if not name.endswith(ENDS)]
        predicted = {} if self.foretold is None else dict(self.foretold.at(one.budget))
        ends = {
            name: [_number(one.metrics[name + end]) for end in ENDS]
            for name in names
            if all(name + end in one.metrics for end in ENDS)
        }
        return {
            "metrics": {name: _number(one.metrics[name]) for name in names},
            "intervals": ends,
            "acceptance": one.ledger.acceptance,
            "predicted": predicted,
            "gap": {
                name: _number(one.metrics[name] - value)
                for name, value in predicted.items()
                if name in one.metrics
            },
            "ledger": one.ledger.plain(),
        }

    def to_pandas(self) -> pd.DataFrame:
        """A row per budget K: metrics with ends of intervals, ``predicted.`` ones, and what a sample costs."""
        import pandas as pd

        rows = []
        for one in self.readings:
            foretold = {} if self.foretold is None else self.foretold.at(one.budget)
            cost = one.ledger.cost()
            rows.append(
                {
                    **one.metrics,
                    **{f"predicted.{name}": value for name, value in foretold.items()},
                    "acceptance": one.ledger.acceptance,
                    "draws": cost.draws,
                    "scores": cost.scores,
                    "gradients": cost.gradients,
                    "seconds": one.ledger.seconds,
                }
            )
        index = pd.Index([one.budget for one in self.readings], name="budget")
        return pd.DataFrame(rows, index=index)


def refined(subject: Subject, seed: int = 0, stage: Stage = lambda told: None) -> Refined:
    """Read a model at the budgets of its refinement; ``stage`` hears what is done now. Ctrl-C ends it between blocks.

    Whatever the model or the ratio is to blame for is raised as a ``UserError``.
    """
    from trainables.evaluation.refined import refined_readings

    budgets = subject.method.asked()

    def hear(budget: float, done: int, count: int) -> None:
        what = "constants" if budget == 0 else f"K = {budget_text(budget)}, {done:,} of {count:,} samples"
        stage(f"{subject.method.name}: {what}")

    try:
        readings = list(
            refined_readings(
                subject.model, subject.method, budgets, subject.real, subject.evaluation, seed, hear
            )
        )
    except ValueError as error:
        raise UserError(f"{subject.title} cannot be refined: {error}") from error
    plain = readings[0]
    told = {name: value for name, value in plain.metrics.items() if not name.endswith(ENDS)}
    found = foretold(subject, [one.budget for one in readings], told, plain.points)
    return Refined(subject, seed, readings, found)


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
