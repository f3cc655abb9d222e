"""A source of suggestions: numbered, written down, each different from those before, learning in a fixed order.

Suggestion n is a function of the seed, of n, of the points before it and, with a window of w, of the results of the
points 0 … n - w, told in the order of their numbers. So at most w points are in flight, it does not matter in which
order results come, and a search that is killed goes on as it would have.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from explorer.search.points.dice import Dice, seed_of
from explorer.search.points.memo import Kept, Tried, read_notes
from explorer.search.points.source import Asked, Chosen, PointSource
from explorer.sweep.axes import Point, as_text
from explorer.sweep.space import Space

if TYPE_CHECKING:
    from explorer.search.search import Study

__all__ = ["SuggestedSource", "Suggester"]

STUCK = 20
"""Suggestions in a row that bring nothing new, after which points are drawn at random."""

HOPELESS = 1000
"""Suggestions in a row that bring nothing new, after which the search is over."""

LISTED = 20_000
"""Points of a finite space that are listed to find those not asked yet."""


class Suggester(ABC):
    """Suggests a point for a number. Numbers come in order, each by one of ``suggest``, ``place`` and ``skip``."""

    def begin(self, earlier: Sequence[Tried]) -> None:  # noqa: B027 - most do not listen
        """What others have tried, all of it in the space; before the first number."""

    @abstractmethod
    def suggest(self, number: int) -> tuple[Point, dict[str, Any]]:
        """The point of that number, and what must be kept with it."""

    def place(self, number: int, point: Point, extra: dict[str, Any]) -> dict[str, Any]:
        """A point of the space has this number: kept from before with its ``extra``, or drawn, without. Returns it."""
        return extra

    def skip(self, number: int) -> None:  # noqa: B027 - most need not know
        """The point of this number lies outside the space by now."""

    def tell(self, number: int, repeats: Sequence[Mapping[str, float]]) -> None:  # noqa: B027 - most do not listen
        """Results of a point; in the order of the numbers."""


class SuggestedSource(PointSource):
    """Suggestions under their numbers, those of the memo first.

    Points that stand for the same trials are one: a repetition is answered from its first time and does not count.
    A point of the memo that lies outside the present space keeps its number and is passed over.
    """

    def __init__(
        self,
        space: Space,
        suggester: Suggester,
        total: int,
        seed: int,
        study: Study,
        window: int | None = None,
    ) -> None:
        """``window``: how many points may be in flight; None for a search that does not learn."""
        self.total = total
        self._space = space
        self._suggester = suggester
        self._seed = seed
        self._study = study
        self._window = window
        self._notes = read_notes(study.memo, study.dry)
        if self._notes.earlier is None:
            self._notes.earlier = list(study.earlier)
        suggester.begin([one for one in self._notes.earlier if space.spelled(one.point) is not None])
        self._next = 0
        self._told = 0
        self._results: dict[int, list[Mapping[str, float]]] = {}
        self._first: dict[str, int] = {}  # the number under which a key was first asked
        self._same: dict[int, int] = {}  # repetitions by the number they repeat
        self._gone: set[int] = set()
        self._texts: set[str] = set()
        self._size = space.size() if space.finite else None
        self._unseen: dict[str, Point] | None = None
        self._in_a_row = 0
        self._to_draw = 0
        self._foreseeing = False

    @property
    def over(self) -> bool:
        """So many different points were asked, or there are no others."""
        return len(self._first) >= self.total or self._spent

    @property
    def numbered(self) -> int:
        """Repetitions among them."""
        return self._next

    @property
    def _spent(self) -> bool:
        exhausted = len(self._texts) == self._size or (self._unseen is not None and not self._unseen)
        return exhausted or self._in_a_row >= HOPELESS

    @property
    def note(self) -> str:
        """Why there were fewer points than asked for."""
        if len(self._first) >= self.total or not self._spent:
            return ""
        few = f"the search is over after {len(self._first)} of {self.total} points: "
        if self._in_a_row >= HOPELESS:
            return f"{few}{HOPELESS:,} suggestions in a row brought nothing new"
        return f"{few}its space has no others"

    def ask(self, count: int) -> Chosen:
        """As many as the window allows, written down before they are handed out."""
        chosen: Chosen = []
        known = len(self._notes.points)
        while len(chosen) < count and not self.over:
            if not self._foreseeing and not self._ready():
                if chosen or not self._study.dry:
                    break
                self._foreseeing = True  # a plan does not wait
            chosen += self._advance()
        if len(self._notes.points) > known and self._study.memo is not None and not self._study.dry:
            self._study.memo.save(self._notes.text())
        return chosen

    def tell(self, number: int, repeats: Sequence[Mapping[str, float]]) -> None:
        """Kept until it is this number's turn; the first answer counts."""
        self._results.setdefault(number, list(repeats))

    def _ready(self) -> bool:
        """Whether the next suggestion may be made; if so, exactly the results are told that it may know."""
        if self._window is None:
            return True
        while self._told <= self._next - self._window:
            number = self._told
            if number not in self._gone:
                results = self._results.get(self._same.get(number, number))
                if results is None:
                    return False
                self._suggester.tell(number, results)
            self._told += 1
        return True

    def _advance(self) -> Chosen:
        """The point of the next number, if it is a new one."""
        number = self._next
        self._next += 1
        if number >= len(self._notes.points):
            point = self._made(number)
        else:
            point = self._notes.points[number].point
            if self._space.spelled(point) is None:
                self._gone.add(number)
                self._suggester.skip(number)
                return []
            if not self._foreseeing:
                self._suggester.place(number, point, self._notes.points[number].extra)
        self._texts.add(text := as_text(point))
        if self._unseen is not None:
            self._unseen.pop(text, None)
        return self._counted(number, point)

    def _counted(self, number: int, point: Point) -> Chosen:
        first = self._first.setdefault(self._study.key(point), number)
        if first == number:
            self._in_a_row = 0
            self._to_draw = max(0, self._to_draw - 1)
            return [Asked(number, point)]
        self._same[number] = first
        self._in_a_row += 1
        if self._in_a_row % STUCK == 0 and not self._to_draw:
            self._to_draw = self._window or 1
        return []

    def _made(self, number: int) -> Point:
        """A new point: suggested, or drawn where suggestions repeat themselves; a plan draws what it cannot know."""
        if self._foreseeing:
            return self._drawn(number)
        if self._to_draw:
            point = self._drawn(number)
            extra = self._suggester.place(number, point, {})
        else:
            point, extra = self._suggester.suggest(number)
        self._notes.points.append(Kept(point, extra))
        return point

    def _drawn(self, number: int) -> Point:
        """At random; where few points are left of a finite space, one of those."""
        dice = Dice(seed_of("drawn", self._seed, number))
        if self._to_draw and self._unseen is None and self._size is not None and self._size <= LISTED:
            grid = {as_text(point): point for point in self._space.grid()}
            self._unseen = {text: point for text, point in grid.items() if text not in self._texts}
        if self._to_draw and self._unseen:
            return self._unseen[dice.choice("", list(self._unseen))]
        return self._space.choose(dice)
