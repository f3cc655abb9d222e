"""PR cover: shares of samples whose own ball holds enough of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.family import positive
from trainables.metrics.ball_intervals import ball_scores
from trainables.metrics.metric import Entry, Metric, Scores, scores_of_rows

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.measures.knn.neighbours import BallCounts
    from trainables.metrics.pair import Pair
    from trainables.metrics.pairs import Pairs

__all__ = ["PRCover"]


@dataclass(frozen=True)
class PRCover(Metric):
    """Cheema & Urner 2023, with (k, k′) = (k, ``factor`` · k).

    Attributes:
        factor: neighbours k′ of a ball over those that it must hold, k.
    """

    name: ClassVar[str] = "pr_cover"
    entries: ClassVar[tuple[Entry, ...]] = (
        Entry(
            "pr_cover.precision",
            "Precision cover",
            "Share of generated k′-balls with k real samples.",
            "max",
            0,
            1,
        ),
        Entry(
            "pr_cover.recall", "Recall cover", "Share of real k′-balls with k generated samples.", "max", 0, 1
        ),
    )
    factor: int = 3

    def check(self) -> None:
        """k′ is positive."""
        positive(**{"factor of metric pr_cover": self.factor})

    def orders(self, k: int) -> tuple[int, ...]:
        """The k′-th neighbour."""
        return (self.factor * k,)

    def measure(self, pair: Pair) -> Scores:
        """Means over generated and over real samples."""

        def covered(counts: BallCounts) -> dict[str, Tensor]:
            return dict(zip(("pr_cover.precision", "pr_cover.recall"), counts.covered(pair.k), strict=True))

        return ball_scores(pair, self.factor * pair.k, covered, {})

    def measure_all(self, pairs: Pairs) -> list[Scores]:
        """The same for all sets at once."""
        by_fake, by_real = pairs.balls(self.factor * pairs.one.k).covered(pairs.one.k)
        return scores_of_rows(
            {"pr_cover.precision": by_fake.double().mean(1), "pr_cover.recall": by_real.double().mean(1)}
        )
