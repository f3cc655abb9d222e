"""The Fréchet distance of Gaussian fits; with Inception features it is FID."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.metrics.metric import CUSTOMARY, Entry, Metric, Scores, scores_of_rows

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.metrics.pair import Pair
    from trainables.metrics.pairs import Pairs

    Fit = tuple[Tensor, Tensor]  # mean and covariance

__all__ = ["Frechet", "by_samples"]


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
        from trainables.measures.frechet_gram import gram_distance

        pair.stage("Fréchet distance")
        n, m, d = len(pair.real), len(pair.fake), pair.real.shape[1]
        if by_samples(n, m, d):
            value = gram_distance(pair.real, pair.fake)
        else:
            own, other = _real_statistics(pair), gaussian_statistics(pair.fake)
            value = frechet_distance(*own, *other)
        if not pair.draws:
            return Scores({"fid": value})
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
        """The same for all sets at once, or one by one where no matrix (d, d) is needed."""
        import torch

        from trainables.measures.frechet import frechet_distances
        from trainables.measures.frechet_gram import gram_distance

        if by_samples(len(pairs.real), *pairs.fake.shape[1:]):
            found = [gram_distance(pairs.real, fake) for fake in pairs.fake]
            return scores_of_rows({"fid": torch.tensor(found, dtype=torch.float64)})
        return scores_of_rows({"fid": frechet_distances(*_real_statistics(pairs.one), pairs.fake)})


def by_samples(n: int, m: int, d: int) -> bool:
    """Whether n and m samples in d dimensions are few enough for the products of samples, (n, m), to take their place.

    With min(n, m) ≤ d/2 these take less time than the covariance of the larger set, and no more memory than its
    features. Nothing of the real side is remembered then: its covariance would be larger than it.
    """
    return 2 * min(n, m) <= d


def _interval(pair: Pair, value: float, own: Fit, other: Fit) -> tuple[float, float]:
    """From the limit of endless samples to the distance at the customary number, each with its error.

    The distance is too large by about b/N. Halves are too large by twice that, so that their mean less the value is
    the bias (Chong & Forsyth, *Effectively Unbiased FID*, 2020, extrapolate alike). The error is that of the
    influence of every sample, or what halves of equal laws differ by, if that is more: identical sets have none.

    The influence on the distance exceeds that on the distance less its bias, 2v - mean(halves), where covariances of
    few samples of heavy tails are far off; the latter is noisier elsewhere, so the lesser of the two counts. It takes
    four eigendecompositions more, and is asked for where more than half of the distance is bias.
    """
    from itertools import chain

    from trainables.measures.frechet import frechet_distance, frechet_influence, gaussian_statistics
    from trainables.measures.groups import cuts
    from trainables.measures.intervals import quantile

    def influences(real: Tensor, fake: Tensor, own: Fit, other: Fit) -> list[Tensor]:
        return [frechet_influence(real, own, other), frechet_influence(fake, other, own)]

    def variance(influences: list[Tensor]) -> float:
        return sum(float(each.var(correction=0)) / len(each) for each in influences)

    pair.stage("Fréchet distance: interval")
    n, m = len(pair.real), len(pair.fake)
    halves = list(chain.from_iterable(cuts(n, m, 2, 1, pair.rng("fid"))))
    fits = [(gaussian_statistics(pair.real[i]), gaussian_statistics(pair.fake[j])) for i, j in halves]
    first, second = (frechet_distance(*real, *fake) for real, fake in fits)
    bias = max((first + second) / 2 - value, 0.0)
    limit = max(value - bias, 0.0)
    customary = max(value - bias * (1 - min(1.0, max(n, m) / CUSTOMARY)), limit)
    whole = influences(pair.real, pair.fake, own, other)
    squared = variance(whole)
    if bias > value / 2:
        corrected = [2 * each for each in whole]
        for (i, j), fit in zip(halves, fits, strict=True):
            of_half = influences(pair.real[i], pair.fake[j], *fit)
            for each, part, found in zip(corrected, (i, j), of_half, strict=True):
                each[part] -= found
        squared = min(squared, variance(corrected))
    error = max(squared, (first - second) ** 2 / 8) ** 0.5
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
