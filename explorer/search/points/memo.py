"""What a search has asked, written down: so that a point once asked stays asked, whatever results become of it."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from typing import Any, Protocol

from explorer.sweep.axes import Point

__all__ = ["Kept", "Memo", "Notes", "Tried", "read_notes"]

log = logging.getLogger(__name__)

_VERSION = 1


class Memo(Protocol):
    """Where one small document is kept."""

    def load(self) -> str | None:
        """The document as it was last saved; None if there is none."""
        ...

    def save(self, text: str) -> None:
        """Keep the document in place of the one before; a reader finds either, whole."""
        ...

    def set_aside(self) -> str:
        """Make room for a new document without losing a damaged one; returns where that lies now."""
        ...


@dataclass(frozen=True)
class Kept:
    """A point that was asked, and what its sampler must know of it to go on as it would have."""

    point: Point
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Tried:
    """A point that another sweep has tried, and the means of its metrics."""

    point: Point
    metrics: dict[str, float]


@dataclass
class Notes:
    """The document: the points by their numbers, and what the search was given to begin with.

    ``earlier``: None if that was not noted yet.
    """

    points: list[Kept] = field(default_factory=list)
    earlier: list[Tried] | None = None

    def text(self) -> str:
        """As JSON."""
        return json.dumps(
            {
                "version": _VERSION,
                "earlier": [[one.point, one.metrics] for one in self.earlier or ()],
                "points": [[one.point, one.extra] for one in self.points],
            },
            allow_nan=False,
        )

    @classmethod
    def parse(cls, text: str) -> Notes:
        """The document of a text; ``ValueError`` if it is none."""
        found = json.loads(text)
        if not isinstance(found, dict) or found.get("version") != _VERSION:
            raise ValueError("it is no memo of this version")
        return cls(
            [Kept(*_pair(one)) for one in _listed(found.get("points"))],
            [Tried(*_pair(one)) for one in _listed(found.get("earlier"))],
        )


def _listed(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("it has no list of points")
    return value


def _pair(value: object) -> tuple[dict[str, Any], dict[str, Any]]:
    if not isinstance(value, list) or len(value) != 2 or not all(isinstance(part, dict) for part in value):
        raise ValueError("a point of it is none")
    return value[0], value[1]


def read_notes(memo: Memo | None, dry: bool) -> Notes:
    """What was asked before; nothing if there is no memo, or a damaged one, which is said and set aside.

    Nothing else is lost: suggestions are a function of seed, number and results, so that the same points come again.
    """
    text = None if memo is None else memo.load()
    if memo is None or text is None:
        return Notes()
    try:
        return Notes.parse(text)
    except (ValueError, RecursionError):
        place = "" if dry else f" (it is {memo.set_aside()} now)"
        log.warning(
            "the memo of the search is damaged%s; the search suggests from its beginning again", place
        )
        return Notes()
