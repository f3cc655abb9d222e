"""Mode measures, where the law of the data is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.metrics.metric import Entry, Metric, Scores

if TYPE_CHECKING:
    from trainables.metrics.pair import Pair

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
        from trainables.measures.modes import mode_measures

        points = pair.fake if pair.points is None else pair.points
        found = None if pair.law is None else pair.law.modes(points)
        if found is None:
            return Scores({}, left_out="mode measures need a law with modes, which this data has not")
        scores = mode_measures(found, len(points))
        return Scores(
            {"quality": scores.quality, "modes_hit": scores.modes_hit, "modes_held": scores.modes_held}
        )
