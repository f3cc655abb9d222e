"""The Fréchet distance of Gaussian fits; with Inception features it is FID."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.metrics.metric import Entry, Metric, Scores, scores_of_rows

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.metrics.pair import Pair
    from trainables.metrics.pairs import Pairs

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
        """‖μ-ν‖² + tr(Σ + Γ - 2(ΣΓ)^½), its interval by the influence of every sample."""
        import numpy as np

        from trainables.measures.bootstrap import mean_draws

        pair.stage("Fréchet distance")
        value, influences = _distance(pair)
        if not pair.draws:
            return Scores({"fid": value})
        pair.stage("Fréchet distance: interval")
        draws, rng = np.full(pair.draws, value), pair.rng("fid")
        for influence in influences():
            draws = draws + mean_draws(influence.cpu().numpy(), pair.draws, rng)
        return Scores({"fid": value}, {"fid": pair.interval(value, np.maximum(draws, 0.0))})

    def measure_all(self, pairs: Pairs) -> list[Scores]:
        """The same for all sets at once, or one by one where no matrix (d, d) is needed."""
        import torch

        from trainables.measures.frechet import frechet_distances
        from trainables.measures.frechet_gram import gram_fit

        if by_samples(len(pairs.real), *pairs.fake.shape[1:]):
            found = [gram_fit(pairs.real, fake).distance for fake in pairs.fake]
            return scores_of_rows({"fid": torch.tensor(found, dtype=torch.float64)})
        return scores_of_rows({"fid": frechet_distances(*_real_statistics(pairs.one), pairs.fake)})


def by_samples(n: int, m: int, d: int) -> bool:
    """Whether n and m samples in d dimensions are few enough for the products of samples, (n, m), to take their place.

    With min(n, m) ≤ d/2 these take less time than the covariance of the larger set, and no more memory than its
    features. Nothing of the real side is remembered then: its covariance would be larger than it.
    """
    return 2 * min(n, m) <= d


def _distance(pair: Pair) -> tuple[float, Callable[[], tuple[Tensor, Tensor]]]:
    """The distance, and how to get the influence of every real (N,) and every generated sample (M,) on it."""
    from trainables.measures.frechet import frechet_distance, frechet_influence, gaussian_statistics
    from trainables.measures.frechet_gram import gram_fit

    if by_samples(len(pair.real), *pair.fake.shape):
        fit = gram_fit(pair.real, pair.fake)
        return fit.distance, fit.influences
    own, other = _real_statistics(pair), gaussian_statistics(pair.fake)
    return frechet_distance(*own, *other), lambda: (
        frechet_influence(pair.real, own, other),
        frechet_influence(pair.fake, other, own),
    )


def _real_statistics(pair: Pair) -> tuple[Tensor, Tensor]:
    """Mean and covariance of the real side, computed once."""
    from trainables.measures.frechet import gaussian_statistics

    def statistics() -> dict[str, Tensor]:
        mean, covariance = gaussian_statistics(pair.real)
        return {"mean": mean, "covariance": covariance}

    stored = pair.remember("gaussian", statistics)
    return stored["mean"].to(pair.real.device), stored["covariance"].to(pair.real.device)
