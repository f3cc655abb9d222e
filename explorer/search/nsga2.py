"""NSGA-II (Deb et al. 2002), by Optuna."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from explorer.search.optuna_search import OptunaSearch

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler

__all__ = ["Nsga2"]


@dataclass(frozen=True)
class Nsga2(OptunaSearch):
    """A genetic search for the whole front."""

    name: ClassVar[str] = "nsga2"

    def sampler(self, seed: int, points: int) -> BaseSampler:
        """As ``points.optuna_source`` makes it."""
        from explorer.search.points.optuna_source import nsga2_sampler

        return nsga2_sampler(seed, points)
