"""The kernel distance KID."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.family import require
from trainables.metrics.metric import Entry, Metric, Scores

if TYPE_CHECKING:
    from trainables.metrics.pair import Pair

__all__ = ["Kernel"]


@dataclass(frozen=True)
class Kernel(Metric):
    """Bińkowski et al. 2018: unbiased squared MMD with a cubic kernel, on the whole sets.

    With ``block`` ≥ 2 it is the mean over disjoint blocks of so many samples instead: less exact, for less work.

    Attributes:
        block: samples of a block over which the estimate is averaged, 0 for all at once.
    """

    name: ClassVar[str] = "kernel"
    version: ClassVar[int] = 2
    entries: ClassVar[tuple[Entry, ...]] = (
        Entry("kid", "KID", "Squared maximum mean discrepancy with a cubic kernel, unbiased.", "min"),
    )
    block: int = 0

    def check(self) -> None:
        """A block has pairs."""
        require(
            self.block == 0 or self.block >= 2,
            f"block of metric kernel must be ≥ 2, or 0 for the whole sets, got {self.block}",
        )

    def least(self) -> tuple[int, int]:
        """Two blocks of two."""
        return 4, 8

    def measure(self, pair: Pair) -> Scores:
        """The U-statistic of the whole sets, or the mean over blocks."""
        return self._blocks(pair) if self.block else self._whole(pair)

    def _whole(self, pair: Pair) -> Scores:
        from trainables.measures.intervals import quantile, score_interval
        from trainables.measures.kernel import kernel_estimate

        found = kernel_estimate(
            pair.real,
            pair.fake,
            progress=lambda done, total: pair.stage(f"kernel distance: tile {done} of {total}"),
        )
        value = {"kid": found.value}
        if not pair.draws:
            return Scores(value)
        t2 = quantile(pair.level) ** 2
        # The effects of single samples vanish with the distance. Where that is lost in noise, their size is not known.
        apart = found.value**2 > found.linear + found.pairs and found.value > 0
        if apart:
            low, high = score_interval(found.value, t2 * found.linear / found.value, t2 * found.pairs)
        else:
            low, high = score_interval(found.value, 0.0, t2 * (found.linear + found.pairs))
            high = max(high, (high - low) / 2)  # what it estimates is never below 0
        return Scores(value, {"kid": (low, high)}, kinds={"kid": "score, U-statistic"})

    def _blocks(self, pair: Pair) -> Scores:
        from trainables.measures.intervals import quantile, score_interval
        from trainables.measures.kernel import kernel_distance_blocks

        values = kernel_distance_blocks(
            pair.real,
            pair.fake,
            self.block,
            pair.seed,
            progress=lambda done, total: pair.stage(f"kernel distance: block {done} of {total}"),
        )
        mean = float(values.mean())
        if not pair.draws:
            return Scores({"kid": mean})
        t = quantile(pair.level, len(values) - 1)
        ends = score_interval(mean, 0.0, t * t * float(values.var(ddof=1)) / len(values))
        return Scores({"kid": mean}, {"kid": ends}, kinds={"kid": "Student, blocks"})
