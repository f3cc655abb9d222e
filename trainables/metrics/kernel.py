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
    """Bińkowski et al. 2018: unbiased squared MMD with a cubic kernel, averaged over blocks of ``block`` samples."""

    name: ClassVar[str] = "kernel"
    entries: ClassVar[tuple[Entry, ...]] = (
        Entry("kid", "KID", "Squared maximum mean discrepancy with a cubic kernel, unbiased.", "min"),
    )
    block: int = 1000

    def check(self) -> None:
        """A block has pairs."""
        require(self.block >= 2, f"block of metric kernel must be ≥ 2, got {self.block}")

    def least(self) -> tuple[int, int]:
        """Two blocks of two."""
        return 4, 8

    def measure(self, pair: Pair) -> Scores:
        """Mean over blocks; its interval draws the blocks again."""
        from trainables.measures.bootstrap import mean_draws
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
        draws = mean_draws(values, pair.draws, pair.rng("kid"))
        return Scores({"kid": mean}, {"kid": pair.interval(mean, draws)})
