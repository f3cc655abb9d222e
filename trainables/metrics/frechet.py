"""The Fréchet distance of Gaussian fits; with Inception features it is FID."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.metrics.metric import CUSTOMARY, Entry, Metric, Scores, scores_of_rows

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.metrics.pair import Pair
    from trainables.metrics.pairs import Pairs

__all__ = ["Frechet"]


@dataclass(frozen=True)
class Frechet(Metric):
    """Heusel et al. 2017."""

    name: ClassVar[str] = "frechet"
    everyday: ClassVar[int | None] = 2
    entries: ClassVar[tuple[Entry, ...]] = (
        Entry("fid", "FID", "Fréchet distance between Gaussian fits of the features.", "min", 0),
    )

    def least(self) -> tuple[int, int]:
        """A covariance has two samples."""
        return 2, 4

    def measure(self, pair: Pair) -> Scores:
        """‖μ-ν‖² + tr(Σ + Γ - 2(ΣΓ)^½), its interval by the influence of every sample and the trend in N."""
        from trainables.measures.frechet import frechet_distance, gaussian_statistics

        pair.stage("Fréchet distance")
        own = _real_statistics(pair)
        other = gaussian_statistics(pair.fake)
        value = frechet_distance(*own, *other)
        if not pair.draws:
            return Scores({"fid": value})
        n, m, d = len(pair.real), len(pair.fake), pair.real.shape[1]
        if min(n, m) // 2 <= d:
            why = (
                f"halves of the sets must have more samples than dimensions ({d}) to tell how the distance falls with "
                f"their number, got {n} real and {m} fake; use more samples"
            )
            return Scores({"fid": value}, withheld={"fid": why})
        return Scores(
            {"fid": value},
            {"fid": _interval(pair, value, own, other)},
            kinds={"fid": "bias-corrected, influence"},
        )

    def measure_all(self, pairs: Pairs) -> list[Scores]:
        """The same for all sets at once."""
        from trainables.measures.frechet import frechet_distances

        return scores_of_rows({"fid": frechet_distances(*_real_statistics(pairs.one), pairs.fake)})


def _interval(
    pair: Pair, value: float, own: tuple[Tensor, Tensor], other: tuple[Tensor, Tensor]
) -> tuple[float, float]:
    """From the limit of endless samples to the distance at the customary number, each with its error.

    The distance is too large by about b/N. Halves are too large by twice that, so that their mean less the value is
    the bias (Chong & Forsyth, *Effectively Unbiased FID*, 2020, extrapolate alike). The error is that of the
    influence of every sample, or what halves of equal laws differ by, if that is more: identical sets have none.
    """
    from itertools import chain

    from trainables.measures.frechet import frechet_distance, frechet_influence, gaussian_statistics
    from trainables.measures.groups import cuts
    from trainables.measures.intervals import quantile

    pair.stage("Fréchet distance: interval")
    n, m = len(pair.real), len(pair.fake)
    halves = [
        frechet_distance(*gaussian_statistics(pair.real[i]), *gaussian_statistics(pair.fake[j]))
        for i, j in chain.from_iterable(cuts(n, m, 2, 1, pair.rng("fid")))
    ]
    bias = max(sum(halves) / 2 - value, 0.0)
    limit = max(value - bias, 0.0)
    customary = max(value - bias * (1 - min(1.0, max(n, m) / CUSTOMARY)), limit)
    variance = sum(
        float(frechet_influence(features, mine, its).var(correction=0)) / len(features)
        for features, mine, its in ((pair.real, own, other), (pair.fake, other, own))
    )
    error = max(variance, (halves[0] - halves[1]) ** 2 / 8) ** 0.5
    reach = quantile(pair.level) * error
    return max(limit - reach, 0.0), customary + reach


def _real_statistics(pair: Pair) -> tuple[Tensor, Tensor]:
    """Mean and covariance of the real side, computed once."""
    from trainables.measures.frechet import gaussian_statistics

    def statistics() -> dict[str, Tensor]:
        mean, covariance = gaussian_statistics(pair.real)
        return {"mean": mean, "covariance": covariance}

    stored = pair.remember("gaussian", statistics)
    return stored["mean"].to(pair.real.device), stored["covariance"].to(pair.real.device)
