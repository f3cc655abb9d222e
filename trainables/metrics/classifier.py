"""Precision-recall curves of a classifier of real against generated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.metrics.metric import Entry, Metric, Scores
from trainables.metrics.prd import curve_entries, curve_summaries

if TYPE_CHECKING:
    from trainables.metrics.pair import Pair
    from trainables.precision_recall import PRCurve

__all__ = ["Classifier", "confused"]

GROUPS, ROUNDS = 2, 6
"""Into how many groups both sets are cut for an interval, and how often."""
FEWEST = 32
"""Samples of either set that an interval takes: halves of fewer train on less than eight."""
ERRORS = 10
"""Held-out samples that must be confused for an interval: the curve of fewer is made of single samples."""
LEAST = 0.25
"""The smallest design effect believed: a summary of a curve varies less than a share, but not by an order."""


@dataclass(frozen=True)
class Classifier(Metric):
    """Simon et al. 2019: thresholds of a classifier trained on one part of the samples, rates on the other."""

    name: ClassVar[str] = "classifier"
    entries: ClassVar[tuple[Entry, ...]] = curve_entries("classifier", "the classifier's PR curve")

    def least(self) -> tuple[int, int]:
        """Four to train on and four to test, of each."""
        return 8, 16

    def measure(self, pair: Pair) -> Scores:
        """The curve on held-out samples."""
        from trainables.measures.classifier_curve import classifier_scores

        far = pair.progress("classifier of real against fake")
        curve = classifier_scores(pair.real, pair.fake, seed=pair.seed, progress=far).curve()
        values = {key: float(value) for key, value in curve_summaries("classifier", curve).items()}
        curves = {"classifier": curve}
        if not pair.draws:
            return Scores(values, curves=curves)
        if min(len(pair.real), len(pair.fake)) < FEWEST:
            why = f"its interval needs {FEWEST} samples on both sides; use more samples"
            return Scores(values, curves=curves, withheld=dict.fromkeys(values, why))
        if (errors := confused(curve, min(len(pair.real), len(pair.fake)))) < ERRORS:
            why = (
                f"about {errors:.2g} of the held-out samples are taken for the other kind, and fewer than {ERRORS} "
                "do not show how it varies; use more samples"
            )
            return Scores(values, curves=curves, withheld=dict.fromkeys(values, why))
        kinds = dict.fromkeys(values, "Wilson, design effect")
        return Scores(values, _intervals(values, pair), curves, kinds=kinds)


def confused(curve: PRCurve, n: int) -> float:
    """How many of n/2 held-out samples of either set are on the wrong side of a threshold, at λ = 1: α_1 n/2."""
    import numpy as np

    return float(np.interp(1.0, curve.lam, curve.precision)) * n / 2


def _intervals(values: dict[str, float], pair: Pair) -> dict[str, tuple[float, float]]:
    """Wilson's, for as many samples as the summaries of a curve are worth by their spread over random halves.

    Every half trains a classifier of its own, so that what another training set would change is in the spread.
    """
    import numpy as np

    from trainables.measures.classifier_curve import classifier_scores
    from trainables.measures.groups import cuts, design_effect
    from trainables.measures.intervals import quantile, wilson

    n, m = len(pair.real), len(pair.fake)
    found = []
    for at, groups in enumerate(cuts(n, m, GROUPS, ROUNDS, pair.rng("classifier")), 1):
        pair.stage(f"classifiers of random groups: round {at} of {ROUNDS}")
        curves = [classifier_scores(pair.real[i], pair.fake[j], seed=at).curve() for i, j in groups]
        found.append([curve_summaries("classifier", curve) for curve in curves])
    size = min(n, m) // GROUPS
    ends = {}
    for key, value in values.items():
        scores = np.array([[float(group[key]) for group in groups] for groups in found])
        plain = scores * (1 - scores) / size
        effect = design_effect(scores, plain, least=1 / (size**2 * scores.size), floor=LEAST)
        # The rounds cut the same samples: they are worth a little less than as many independent ones.
        ends[key] = wilson(value, min(n, m) / effect.ratio, quantile(pair.level, effect.freedom - 1))
    return ends
