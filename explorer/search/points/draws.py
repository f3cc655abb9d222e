"""Points that are drawn: independently, or along a Sobol sequence. What is drawn depends on seed and number alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from explorer.search.points.dice import Dice, between
from explorer.search.points.suggested import Suggester
from explorer.sweep.axes import Point
from explorer.sweep.space import BOX, Space

__all__ = ["RandomDraws", "SobolDraws"]


class RandomDraws(Suggester):
    """Independent draws out of one stream, so that with more of them the first stay as they were."""

    def __init__(self, space: Space, seed: int) -> None:
        self._space = space
        self._dice = Dice(seed)
        self._drawn = 0

    def suggest(self, number: int) -> tuple[Point, dict[str, Any]]:
        """The draw of that number; those before it are passed over if nobody asked for them."""
        while self._drawn < number:
            self._draw()
        return self._draw(), {}

    def _draw(self) -> Point:
        self._drawn += 1
        return self._space.choose(self._dice)


_BLOCK = 64
"""Sobol points made at a time: a power of two, as the sequence likes it."""


class SobolDraws(Suggester):
    """The scrambled Sobol sequence (Sobol 1967, Owen 1998): its first points fill the space evenly, however many.

    Every axis of every box has a coordinate of its own, and so has the choice of the box; at points where an axis does
    not apply its coordinate goes unused.
    """

    def __init__(self, space: Space, seed: int) -> None:
        from scipy.stats import qmc

        self._space = space
        boxes = [BOX] if len(space.boxes) > 1 else []
        names = dict.fromkeys([*boxes, *(name for box in space.names for name in box.values())])
        self._names = {name: index for index, name in enumerate(names)}
        self._sequence = qmc.Sobol(max(1, len(self._names)), scramble=True, rng=seed)
        self._rows: list[list[float]] = []

    def suggest(self, number: int) -> tuple[Point, dict[str, Any]]:
        """The point of that number."""
        while len(self._rows) <= number:
            self._rows += self._sequence.random(_BLOCK).tolist()
        return self._space.choose(_Coordinates(self._names, self._rows[number])), {}


class _Coordinates:
    """Chooses by the coordinates of one point of the unit cube."""

    def __init__(self, names: dict[str, int], row: Sequence[float]) -> None:
        self._names = names
        self._row = row

    def choice(self, name: str, options: Sequence[str]) -> str:
        """Options have equal parts of the interval."""
        return options[min(len(options) - 1, int(self._row[self._names[name]] * len(options)))]

    def number(self, name: str, low: float, high: float, log: bool, whole: bool) -> float:
        """Linear in the coordinate, or its logarithm is; whole numbers have equal parts."""
        share = self._row[self._names[name]]
        if whole and not log:
            return min(float(round(low) + int(share * (round(high) - round(low) + 1))), float(round(high)))
        return between(share, low, high, log)
