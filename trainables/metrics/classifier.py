"""Precision-recall curves of a classifier of real against generated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.metrics.metric import Entry, Metric, Scores
from trainables.metrics.prd import curve_entries, curve_scores

if TYPE_CHECKING:
    from trainables.metrics.pair import Pair

__all__ = ["Classifier"]


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
        scores = classifier_scores(pair.real, pair.fake, seed=pair.seed, progress=far)
        pair.stage("curve of the classifier")
        draws = scores.draws(pair.draws, pair.rng("classifier")) if pair.draws else None
        return curve_scores(pair, "classifier", scores.curve(), draws)
