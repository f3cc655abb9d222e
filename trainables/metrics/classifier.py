"""Precision-recall curves of a classifier of real against generated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.family import require
from trainables.metrics.learners import LEARNERS, Learner
from trainables.metrics.metric import Entry, Metric, Scores
from trainables.metrics.prd import curve_entries, curve_summaries

if TYPE_CHECKING:
    import numpy as np

    from trainables.metrics.pair import Pair
    from trainables.precision_recall import PRCurve

__all__ = ["LEAST", "Classifier", "check_learner", "confused", "share_ends", "too_few"]

FEWEST = 32
"""Samples of either set that an interval takes: halves of fewer train on less than eight."""
ERRORS = 10
"""Held-out samples that must be confused for an interval: the curve of fewer is made of single samples."""
LEAST = 0.25
"""The smallest design effect believed: a summary of a curve varies less than a share, but not by an order."""


@dataclass(frozen=True)
class Classifier(Metric):
    """Simon et al. 2019: thresholds of a classifier trained on one part of the samples, rates on the other.

    Attributes:
        learner: which classifier is trained.
    """

    name: ClassVar[str] = "classifier"
    entries: ClassVar[tuple[Entry, ...]] = curve_entries("classifier", "the classifier's PR curve")
    learner: Learner = "ensemble"

    def check(self) -> None:
        """The classifier is one of those there are."""
        check_learner(self.name, self.learner)

    def least(self) -> tuple[int, int]:
        """Four to train on and four to test, of each."""
        return 8, 16

    def measure(self, pair: Pair) -> Scores:
        """The curve on held-out samples."""
        import numpy as np

        curve = pair.held_out(self.learner).curve()
        values = {key: float(value) for key, value in curve_summaries("classifier", curve).items()}
        curves = {"classifier": curve}
        if not pair.draws:
            return Scores(values, curves=curves)
        if why := too_few(pair, curve):
            return Scores(values, curves=curves, withheld=dict.fromkeys(values, why))
        rounds = [
            [curve_summaries("classifier", half.curve()) for half in halves]
            for halves in pair.group_held_out(self.learner)
        ]
        ends = {
            key: share_ends(pair, value, np.array([[float(half[key]) for half in row] for row in rounds]))
            for key, value in values.items()
        }
        return Scores(values, ends, curves, kinds=dict.fromkeys(values, "Wilson, design effect"))


def check_learner(metric: str, learner: str) -> None:
    """Refuse a classifier that there is not."""
    require(
        learner in LEARNERS,
        f"learner of metric {metric} must be one of {', '.join(LEARNERS)}, got {learner!r}",
    )


def too_few(pair: Pair, curve: PRCurve) -> str | None:
    """Why samples are too few for an interval of what is made of a classifier with this curve; None if they do."""
    fewest = min(len(pair.real), len(pair.fake))
    if fewest < FEWEST:
        return f"its interval needs {FEWEST} samples on both sides; use more samples"
    if (errors := confused(curve, fewest)) < ERRORS:
        return (
            f"about {errors:.2g} of the held-out samples are taken for the other kind, and fewer than {ERRORS} "
            "do not show how it varies; use more samples"
        )
    return None


def confused(curve: PRCurve, n: int) -> float:
    """How many of n/2 held-out samples of either set are on the wrong side of a threshold, at λ = 1: α_1 n/2."""
    import numpy as np

    return float(np.interp(1.0, curve.lam, curve.precision)) * n / 2


def share_ends(pair: Pair, value: float, rounds: np.ndarray) -> tuple[float, float]:
    """Wilson's, for as many samples as a number in [0, 1] is worth by its spread over random halves, (rounds, 2)."""
    from trainables.measures.groups import design_effect
    from trainables.measures.intervals import quantile, wilson

    fewest = min(len(pair.real), len(pair.fake))
    size = fewest // rounds.shape[1]
    effect = design_effect(rounds, rounds * (1 - rounds) / size, 1 / (size**2 * rounds.size), LEAST)
    # The rounds cut the same samples: they are worth a little less than as many independent ones.
    return wilson(value, fewest / effect.ratio, quantile(pair.level, effect.freedom - 1))
