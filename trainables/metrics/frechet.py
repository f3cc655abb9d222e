"""The Fréchet distance of Gaussian fits; with Inception features it is FID."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.metrics.metric import Entry, Metric, Scores, scores_of_rows

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
        """‖μ-ν‖² + tr(Σ + Γ - 2(ΣΓ)^½), its interval by the influence of every sample."""
        import numpy as np

        from trainables.measures.bootstrap import mean_draws
        from trainables.measures.frechet import frechet_distance, frechet_influence, gaussian_statistics

        pair.stage("Fréchet distance")
        own = _real_statistics(pair)
        other = gaussian_statistics(pair.fake)
        value = frechet_distance(*own, *other)
        if not pair.draws:
            return Scores({"fid": value})
        pair.stage("Fréchet distance: interval")
        draws, rng = np.full(pair.draws, value), pair.rng("fid")
        for features, mine, its in ((pair.real, own, other), (pair.fake, other, own)):
            influence = frechet_influence(features, mine, its).cpu().numpy()
            draws = draws + mean_draws(influence, pair.draws, rng)
        return Scores({"fid": value}, {"fid": pair.interval(value, np.maximum(draws, 0.0))})

    def measure_all(self, pairs: Pairs) -> list[Scores]:
        """The same for all sets at once."""
        from trainables.measures.frechet import frechet_distances

        return scores_of_rows({"fid": frechet_distances(*_real_statistics(pairs.one), pairs.fake)})


def _real_statistics(pair: Pair) -> tuple[Tensor, Tensor]:
    """Mean and covariance of the real side, computed once."""
    from trainables.measures.frechet import gaussian_statistics

    def statistics() -> dict[str, Tensor]:
        mean, covariance = gaussian_statistics(pair.real)
        return {"mean": mean, "covariance": covariance}

    stored = pair.remember("gaussian", statistics)
    return stored["mean"].to(pair.real.device), stored["covariance"].to(pair.real.device)
