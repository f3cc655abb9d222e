"""The Inception Score, where the extractor has class logits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.family import positive
from trainables.metrics.metric import CUSTOMARY, Entry, Metric, Scores

if TYPE_CHECKING:
    from trainables.metrics.pair import Pair

__all__ = ["InceptionScore"]

BIAS = 0.05
"""The largest bias of log IS that an interval takes off: beyond, what is of higher order matters too."""


@dataclass(frozen=True)
class InceptionScore(Metric):
    """Salimans et al. 2016, averaged over ``splits`` of a shuffle.

    Attributes:
        splits: parts of the samples over which the score is averaged.
    """

    name: ClassVar[str] = "inception_score"
    needs: ClassVar[frozenset[str]] = frozenset({"logits"})
    entries: ClassVar[tuple[Entry, ...]] = (
        Entry(
            "inception_score",
            "Inception Score",
            "exp of the mean KL from each class posterior to their mean.",
            "max",
            1,
        ),
    )
    splits: int = 10

    def check(self) -> None:
        """There are splits."""
        positive(**{"splits of metric inception_score": self.splits})

    def left_out(self, logits: bool) -> str | None:
        """Classes are what it is about."""
        return None if logits else "the Inception Score needs class logits, which these features do not have"

    def measure(self, pair: Pair) -> Scores:
        """exp E[KL(p(y|x) ‖ p(y))]."""
        from trainables.measures.inception_score import inception_score, inception_score_limit
        from trainables.measures.intervals import quantile, score_interval

        if pair.logits is None:
            return Scores({}, left_out=self.left_out(logits=False))
        pair.stage("Inception Score")
        rng, splits = pair.rng("inception_score"), min(self.splits, len(pair.logits))
        # Files are often sorted by class; consecutive splits would then hold a class each and score near 1.
        logits = pair.logits[rng.permutation(len(pair.logits))]
        value, _ = inception_score(logits, splits)
        values = {"inception_score": value}
        if not pair.draws:
            return Scores(values)
        if len(logits) < 2:
            return Scores(values, withheld={"inception_score": "its interval needs at least 2 samples"})
        pair.stage("Inception Score: interval")
        limit = inception_score_limit(logits)
        if limit.bias > BIAS:
            why = (
                f"{len(logits)} samples are few for so many classes: the logarithm of the score is low by "
                f"{limit.bias:.2g} even in one split, and only up to {BIAS:g} can that be made good"
            )
            return Scores(values, withheld={"inception_score": why})
        variance = (quantile(pair.level) * limit.error) ** 2
        # A mean of divergences, never negative: near 0 it rests on few samples, and its spread falls with it.
        unit = variance / limit.value if limit.value > limit.error else 0.0
        low, high = score_interval(limit.value, unit, 0.0 if unit else variance)
        low -= limit.bias * min(splits, splits * len(logits) / CUSTOMARY)
        classes = float(logits.shape[1])
        ends = max(1.0, math.exp(low)), min(max(1.0, math.exp(high)), classes)
        return Scores(
            values, {"inception_score": ends}, kinds={"inception_score": "bias-corrected, jackknife"}
        )
