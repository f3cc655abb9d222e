"""A search by one of Optuna's samplers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from explorer.search.bounds import Bound, parse_bounds
from explorer.search.search import Search, Study
from explorer.words import counted
from trainables.family import at_most, require

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler

    from explorer.search.points.suggested import SuggestedSource
    from explorer.sweep.space import Space

__all__ = ["STARTUP", "OptunaSearch"]

STARTUP = 10
"""Results that a model of the objectives needs before it suggests anything; until then points are drawn at random."""


@dataclass(frozen=True)
class OptunaSearch(Search, ABC):
    """Learns from the points it has seen, over all objectives at once.

    Suggestion n knows the results of the points 0 … n - batch, and sees those after as running.

    Attributes:
        everywhere: whether the sampler is asked for axes that do not apply too: it needs the same axes at every point.
        seed: what the sampler draws with; equal seeds and results give equal points.
        batch: so many points are in flight at most.
        constraints: what metrics are held to, ``{"recall": ">= 0.3"}``; points that miss it count as worse than others.
        warm_start: a sweep, or several, whose finished trials it learns from before it begins.
    """

    learns: ClassVar[bool] = True
    everywhere: ClassVar[bool] = True
    seed: int = 0
    batch: int = 8
    constraints: Mapping[str, str] = field(default_factory=dict)
    warm_start: str | tuple[str, ...] | None = None

    def check(self) -> None:
        """There is something in flight, and constraints are some."""
        super().check()
        require(self.batch >= 1, f"search.batch must be ≥ 1, got {self.batch}")
        at_most(10_000, **{"search.batch": self.batch})
        self.bounds()
        require(
            all(self.learns_from()),
            f"search.warm_start must name sweeps, got {self.warm_start!r}; leave it out to learn from none",
        )

    @abstractmethod
    def sampler(self, seed: int) -> BaseSampler:
        """Optuna's sampler; a new one makes every suggestion, so that nothing hides in its state."""

    @property
    @abstractmethod
    def startup(self) -> int:
        """Results that it needs before it learns."""

    def bounds(self) -> tuple[Bound, ...]:
        """What metrics are held to."""
        return parse_bounds(self.constraints)

    def learns_from(self) -> tuple[str, ...]:
        """The sweeps of ``warm_start``."""
        given = self.warm_start
        return () if given is None else (given,) if isinstance(given, str) else given

    def flight(self) -> int:
        """``batch``."""
        return self.batch

    def remarks(self, points: int | None) -> list[str]:
        """How many points are asked at a time, how many are drawn, and whether it comes to learn at all."""
        drawn = self.startup + self.batch - 1
        said = f"{counted(self.batch, 'point')} at a time, the first {drawn} drawn at random"
        if points is not None and points <= drawn and not self.learns_from():
            return [
                f"{said}: with {counted(points, 'point')} the search learns nothing; use more search.trials, a "
                "smaller search.batch, or the search sobol"
            ]
        return [said]

    def source(self, space: Space, points: int | None, study: Study) -> SuggestedSource:
        """The sampler behind ask and tell."""
        from explorer.search.points.sampled import Sampled
        from explorer.search.points.suggested import SuggestedSource

        return SuggestedSource(space, Sampled(space, self), points or 0, self.seed, study, window=self.batch)
