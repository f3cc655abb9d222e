"""What a search is to a sweep: a config that makes a source of points."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from explorer.errors import telling
from explorer.goals import USUAL_GOALS, Goal, parse_goals
from trainables.declarations import reason
from trainables.family import Member, require

if TYPE_CHECKING:
    from explorer.search.points.source import PointSource
    from explorer.sweep.space import Point, Space

__all__ = ["Search", "Study", "of_search"]

LARGEST_SEED = 2**31
"""Samplers take 32 bits, and seeds of their own are counted on from ours."""


@dataclass(frozen=True)
class Study:
    """Where a search that learns keeps what it has learned: a SQLite file and a name in it."""

    file: Path
    name: str


def of_search(search: Search) -> AbstractContextManager[None]:
    """What the code of a search raises is told as a fault of that search."""
    return telling(lambda error: f"search '{search.name}' must give points, but it raised {reason(error)}")


@dataclass(frozen=True)
class Search(Member, ABC):
    """A member of the family of searches.

    Attributes:
        trials: at most so many trials, seeds included.
        objectives: metrics with the direction in which each improves; they make the front.
        endless: whether it needs ``trials`` to come to an end.
        learns: whether later points depend on earlier results; if not, all can be planned ahead.
    """

    endless: ClassVar[bool] = True
    learns: ClassVar[bool] = False
    trials: int | None = None
    objectives: Mapping[str, str] = field(default_factory=lambda: dict(USUAL_GOALS))

    def check(self) -> None:
        """There is something to do, and something to strive for."""
        require(self.trials is None or self.trials >= 1, f"search.trials must be ≥ 1, got {self.trials}")
        seed = getattr(self, "seed", 0)
        require(0 <= seed < LARGEST_SEED, f"search.seed must be in [0, 2^31), got {seed}")
        require(
            not self.endless or self.trials is not None,
            f"search '{self.name}' never ends by itself: set search.trials or --trials",
        )
        parse_goals(self.objectives)

    def goals(self) -> tuple[Goal, ...]:
        """The objectives with their directions."""
        return parse_goals(self.objectives)

    def reach(self, space: Space) -> int | None:
        """How many points it tries if ``trials`` sets no bound; None where only that does."""
        return None

    def probes(self, space: Space) -> Iterator[Point]:
        """Points whose validity stands for that of all it may choose."""
        return space.probes()

    @abstractmethod
    def source(self, space: Space, points: int | None, study: Study | None) -> PointSource:
        """A source of at most ``points`` points. Without a ``study`` a search that learns draws at random: a plan."""
