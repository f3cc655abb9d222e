"""Precision, recall, density and coverage by k nearest neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.metrics.ball_intervals import ball_scores
from trainables.metrics.metric import Entry, Metric, Scores, scores_of_rows

if TYPE_CHECKING:
    from trainables.metrics.pair import Pair
    from trainables.metrics.pairs import Pairs

__all__ = ["Neighbours"]


@dataclass(frozen=True)
class Neighbours(Metric):
    """Kynkäänniemi et al. 2019 (precision, recall); Naeem et al. 2020 (density, coverage)."""

    name: ClassVar[str] = "neighbours"
    everyday: ClassVar[int | None] = 1
    entries: ClassVar[tuple[Entry, ...]] = (
        Entry(
            "precision", "Precision", "Share of generated samples inside some real k-NN ball.", "max", 0, 1
        ),
        Entry("recall", "Recall", "Share of real samples inside some generated k-NN ball.", "max", 0, 1),
        Entry("density", "Density", "Mean number of real balls around a generated sample, over k.", "max", 0),
        Entry("coverage", "Coverage", "Share of real balls that hold a generated sample.", "max", 0, 1),
    )

    def orders(self, k: int) -> tuple[int, ...]:
        """The k-th neighbour."""
        return (k,)

    def measure(self, pair: Pair) -> Scores:
        """Means over samples of per-sample counts."""
        return ball_scores(
            pair,
            pair.k,
            lambda counts: counts.per_sample(),
            {
                "precision": lambda counts: counts.fakes_in_real_ball,
                "density": lambda counts: counts.fakes_in_real_ball,
                "recall": lambda counts: counts.reals_in_fake_ball,
            },
            counts_of=frozenset({"density"}),
        )

    def measure_all(self, pairs: Pairs) -> list[Scores]:
        """The same for all sets at once."""
        each = pairs.balls(pairs.one.k).per_sample()
        return scores_of_rows({key: values.mean(1) for key, values in each.items()})
