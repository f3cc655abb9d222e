"""Tree-structured Parzen estimators (Bergstra et al. 2011), by Optuna."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from explorer.search.optuna_search import OptunaSearch

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler

__all__ = ["Tpe"]


@dataclass(frozen=True)
class Tpe(OptunaSearch):
    """Parzen estimators of good and bad points, over all objectives at once."""

    name: ClassVar[str] = "tpe"

    def sampler(self, seed: int, points: int) -> BaseSampler:
        """As ``points.optuna_source`` makes it."""
        from explorer.search.points.optuna_source import tpe_sampler

        return tpe_sampler(seed, points)
