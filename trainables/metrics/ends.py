"""The ends of an interval as numbers of their own, beside the one that lies between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from trainables.metrics.metric import Entry, Scores

__all__ = ["DRAWS", "ends_of", "with_ends"]

DRAWS = 200
"""Bootstrap draws of a reading's intervals; most of them are made without any (docs/measures.md)."""

_ENDS = {"low": "lower", "high": "upper"}


def ends_of(entry: Entry) -> tuple[Entry, Entry]:
    """Catalogue entries ``KEY.low`` and ``KEY.high`` of the interval at 95% of a number."""
    low, high = (
        replace(
            entry,
            key=f"{entry.key}.{end}",
            title=f"{entry.title}, {word} end",
            sentence=f"The {word} end of the interval of {entry.key} at 95%.",
            diagnostic=True,
        )
        for end, word in _ENDS.items()
    )
    return low, high


def with_ends(scores: Scores) -> Mapping[str, float]:
    """Values, and the ends of those that have an interval."""
    found = dict(scores.values)
    for key, pair in scores.intervals.items():
        found |= {f"{key}.{end}": value for end, value in zip(_ENDS, pair, strict=True)}
    return found
