"""The name that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["listed", "nearest"]

MOST_LISTED = 12
"""Names that a sentence can bear."""

LONGEST_NAME = 100
"""What is longer is no misspelling, and takes long to compare."""


def nearest(name: object, known: Iterable[str], otherwise: str | None = None) -> str:
    """``; did you mean 'x'?`` if something known is near, else ``otherwise``, by default what is known."""
    names = list(known)
    close = get_close_matches(str(name)[:LONGEST_NAME], names, n=1, cutoff=0.5)
    if close:
        return f"; did you mean '{close[0]}'?"
    if otherwise is not None:
        return otherwise
    return f"; it can be {listed(names)}" if names else ""


def listed(names: Iterable[str]) -> str:
    """The names with commas between them, as many as a sentence can bear."""
    every = list(names)
    more = f" and {len(every) - MOST_LISTED} more" if len(every) > MOST_LISTED else ""
    return ", ".join(every[:MOST_LISTED]) + more
