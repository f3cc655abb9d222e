"""NSGA-III (Deb and Jain 2014), by Optuna."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from explorer.search.genetic import Genetic

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler

__all__ = ["Nsga3"]


@dataclass(frozen=True)
class Nsga3(Genetic):
    """A genetic search for the front of many objectives."""

    name: ClassVar[str] = "nsga3"

    def sampler(self, seed: int) -> BaseSampler:
        """As ``points.sampled`` makes it."""
        from explorer.search.points.sampled import nsga3_sampler

        return nsga3_sampler(seed, self.population)
