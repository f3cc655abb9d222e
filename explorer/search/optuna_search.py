"""A search by one of Optuna's samplers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from explorer.search.points.source import PointSource, RandomSource
from explorer.search.search import Search, Study

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler

    from explorer.sweep.space import Space

__all__ = ["OptunaSearch"]


@dataclass(frozen=True)
class OptunaSearch(Search, ABC):
    """Learns from the points it has seen, over all objectives at once."""

    learns: ClassVar[bool] = True
    seed: int = 0

    @abstractmethod
    def sampler(self, seed: int, points: int) -> BaseSampler:
        """Optuna's sampler for a search of so many points."""

    def source(self, space: Space, points: int | None, study: Study | None) -> PointSource:
        """The sampler behind ask and tell; without a study, random draws to plan with."""
        count = points or 0
        if study is None:
            return RandomSource(space, count, self.seed)
        from explorer.search.points.optuna_source import OptunaSource

        return OptunaSource(
            space, lambda known: self.sampler(self.seed + known, count), count, self.goals(), study
        )
