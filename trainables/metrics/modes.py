"""Mode measures, where the law of the data is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.metrics.metric import Entry, Metric, Scores, scores_of_rows

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.metrics.pair import Pair
    from trainables.metrics.pairs import Pairs
    from trainables.sources.law import Law

__all__ = ["ModesOfLaw"]


@dataclass(frozen=True)
class ModesOfLaw(Metric):
    """Dumoulin et al. 2017; Vérine 2024, 6.2.3."""

    name: ClassVar[str] = "modes"
    everyday: ClassVar[int | None] = 3
    needs: ClassVar[frozenset[str]] = frozenset({"law"})
    entries: ClassVar[tuple[Entry, ...]] = (
        Entry("quality", "Quality", "Share of points within 3σ of a mode.", "max", 0, 1),
        Entry("modes_hit", "Modes hit", "Share of modes with at least one point within 3σ.", "max", 0, 1),
        Entry(
            "modes_held",
            "Modes held",
            "Share of modes with at least a fifth of their mass within 3σ.",
            "max",
            0,
            1,
        ),
    )

    def measure(self, pair: Pair) -> Scores:
        """Shares of points and of modes."""
        points = pair.fake if pair.points is None else pair.points
        return _scores(pair.law, points[None])[0]

    def measure_all(self, pairs: Pairs) -> list[Scores]:
        """The same for all sets at once."""
        return _scores(pairs.one.law, pairs.points)


def _scores(law: Law | None, points: Tensor) -> list[Scores]:
    """Scores of each of points (B, M, *shape)."""
    from trainables.measures.modes import mode_shares

    found = None if law is None else law.modes(points.flatten(0, 1))
    if found is None:
        left_out = "mode measures need a law with modes, which this data has not"
        return [Scores({}, left_out=left_out) for _ in points]
    return scores_of_rows(mode_shares(found, len(points)))
