"""What a search is to a sweep: a config that makes a source of points."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from explorer.errors import telling
from explorer.goals import USUAL_GOALS, Goal, parse_goals
from trainables.declarations import reason
from trainables.family import Member, require

if TYPE_CHECKING:
    from explorer.search.bounds import Bound
    from explorer.search.points.memo import Memo, Tried
    from explorer.search.points.source import PointSource
    from explorer.sweep.axes import Point
    from explorer.sweep.space import Space

__all__ = ["Search", "Study", "of_search"]

LARGEST_SEED = 2**31
"""Samplers take 32 bits, and seeds of their own are counted on from ours."""


def _as_json(point: Point) -> str:
    return json.dumps(point, sort_keys=True)


@dataclass(frozen=True)
class Study:
    """What a source of points is given beside its space.

    Attributes:
        memo: where it writes down what it has asked; None for nowhere.
        key: what a point stands for; points of one key are one.
        earlier: what another sweep has tried, to learn from.
        dry: for a plan: nothing is written, and where answers are missing the rest is drawn at random.
    """

    memo: Memo | None = None
    key: Callable[[Point], str] = _as_json
    earlier: tuple[Tried, ...] = ()
    dry: bool = False


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
        """Points whose validity stands for that of all it may choose: the ends of axes, alone and two together."""
        return space.probes()

    def bounds(self) -> tuple[Bound, ...]:
        """What metrics are held to; only searches that learn know any."""
        return ()

    def learns_from(self) -> tuple[str, ...]:
        """The sweeps from which it learns before it begins."""
        return ()

    def flight(self) -> int | None:
        """How many points may be tried at once; None for all."""
        return None

    def remarks(self, points: int | None) -> list[str]:
        """What a plan of so many points should say of it, a sentence each."""
        return []

    def question(self) -> dict[str, Any]:
        """What its suggestions depend on: all but how many there are."""
        return {key: value for key, value in self.plain().items() if key != "trials"}

    @abstractmethod
    def source(self, space: Space, points: int | None, study: Study) -> PointSource:
        """A source of at most ``points`` points."""
