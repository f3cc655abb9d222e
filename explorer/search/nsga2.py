"""NSGA-II (Deb et al. 2002), by Optuna."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from explorer.search.genetic import Genetic

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler

__all__ = ["Nsga2"]


@dataclass(frozen=True)
class Nsga2(Genetic):
    """A genetic search for the whole front."""

    name: ClassVar[str] = "nsga2"

    def sampler(self, seed: int) -> BaseSampler:
        """As ``points.sampled`` makes it."""
        from explorer.search.points.sampled import nsga2_sampler

        return nsga2_sampler(seed, self.population)
