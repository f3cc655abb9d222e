"""A search by generations of points."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass

from explorer.search.optuna_search import OptunaSearch
from trainables.family import at_most, require

__all__ = ["Genetic"]


@dataclass(frozen=True)
class Genetic(OptunaSearch, ABC):
    """The first generation is drawn at random, later ones are children of the best so far.

    Attributes:
        population: points of a generation; it does not follow ``trials``, so that a search can be extended. A small one
            lets some generations pass within a hundred points (``benchmarks/samplers.py``).
    """

    population: int = 8

    def check(self) -> None:
        """Two parents make a child."""
        super().check()
        require(self.population >= 2, f"search.population must be ≥ 2, got {self.population}")
        at_most(10_000, **{"search.population": self.population})

    @property
    def startup(self) -> int:
        """The first generation."""
        return self.population
