"""What is told of a point of a front that is pointed at: its name, its identity, the objectives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from explorer.figures.chart import Card, CardRow
from explorer.figures.front_marks import RANK, Marks
from explorer.results.columns import Codes, Numbers
from explorer.store.schema import At

__all__ = ["card_of", "joined_rows", "keys_of"]


def keys_of(marks: Marks) -> tuple[list[str], Codes]:
    """Identities of the trials that points stand for, and which of them each point has."""
    rows, key = np.unique(marks.row, return_inverse=True)
    return [marks.columns.ids[row] for row in rows], np.asarray(key, dtype=np.int64)


def card_of(marks: Marks, key: Codes, at: At) -> Card:
    """What is told of a point: its name, its identity in grey, the objectives with their intervals."""
    count = int(key.max(initial=-1)) + 1
    first = np.full(count, -1, dtype=np.int64)
    # Of several readings of one trial the last one written stands; written backwards, that is the first.
    first[key[::-1]] = np.arange(len(key))[::-1]
    columns, names = marks.columns, marks.names()
    seeds = marks.count[first] if count else marks.count
    notes = [columns.ids[marks.row[i]] for i in first]
    if not marks.seeds:
        notes = [f"{note} · {n} seed{'s' if n > 1 else ''}" for note, n in zip(notes, seeds, strict=True)]
    shown = columns.table.headline_metrics(6, at)
    rows = [CardRow(columns.table.title(name), _short(marks.of(name)[first])) for name in shown]
    if np.isfinite(marks.chance).any():
        rows.append(CardRow("P(front)", _short(marks.chance[first])))
    rows.append(CardRow("Rank", _short(marks.of(RANK)[first])))
    inert = ["λ did nothing" if hollow else "" for hollow in marks.hollow[first]]
    if any(inert):
        rows.append(CardRow("Note", inert))
    return Card([names[i] for i in first], notes, rows)


def _short(values: Numbers) -> NDArray[np.float32]:
    """Half the bytes: a card shows four digits."""
    return values.astype(np.float32)


def joined_rows(mine: Sequence[CardRow], n: int, theirs: Sequence[CardRow], m: int) -> list[CardRow]:
    """Rows of cards of n keys and of m more; what one side does not have is left out there."""
    found = []
    for title in dict.fromkeys(row.title for row in (*mine, *theirs)):
        halves: list[Sequence[str] | Numbers | None] = [
            next((row.values for row in rows if row.title == title), None) for rows in (mine, theirs)
        ]
        if any(isinstance(half, np.ndarray) for half in halves):
            parts = [
                half if isinstance(half, np.ndarray) else np.full(size, np.nan, np.float32)
                for half, size in zip(halves, (n, m), strict=True)
            ]
            found.append(CardRow(title, np.concatenate(parts)))
        else:
            words = [
                [""] * size if half is None else list(half) for half, size in zip(halves, (n, m), strict=True)
            ]
            found.append(CardRow(title, [*words[0], *words[1]]))
    return found
