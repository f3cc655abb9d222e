"""What is known of a sweep between two looks: in this process, and on disk for the next."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field

from explorer.results.cache.shelf import Shelf
from explorer.results.increments import Seen
from explorer.results.known import Known
from explorer.store.connection import collector_paused
from explorer.store.pulse import Outside

__all__ = ["FEW", "MANY", "SAVE_S", "Memory"]

FEW = 100
"""Runs that are read as quickly as kept."""

MANY = 50
"""What is on disk is written again when one run in this many has changed."""

SAVE_S = 60.0
"""Seconds between two times that a sweep which is watched is written to disk."""


@dataclass
class Memory:
    """The runs of one sweep as last read, oldest first.

    Attributes:
        known: the runs by their ids.
        seen: how far they were seen, in a store behind MLflow's search.
        outside: the file from outside before they were read, or the moment of a database; None of others, and of a
            file that may change unseen.
        fresh: nothing that is on disk counts.
    """

    known: dict[str, Known] = field(default_factory=dict)
    seen: Seen | None = None
    outside: Outside | None = None
    fresh: bool = False
    _shelf: Shelf | None = None
    _unsaved: int = 0
    _kept: tuple[float | None, Outside | None] | None = None
    _saved: float = -SAVE_S

    def begin(self, shelf: Shelf) -> None:
        """Take up what is on disk, at the first look."""
        if self._shelf is not None:
            return
        self._shelf = shelf
        with collector_paused():
            found = None if self.fresh else shelf.load()
        if found is None:
            return
        runs, said = found
        try:
            seen = (
                Seen(**{**said["seen"], "trash": frozenset(said["seen"]["trash"])}) if said["seen"] else None
            )
            outside = tuple(tuple(part) for part in said["outside"]) if said["outside"] else None
        except (TypeError, KeyError):
            return
        self.known = {one.trial.run_id: one for one in runs}
        self.seen, self.outside, self._kept = seen, outside, (_moment(seen), outside)

    def learn(
        self, known: dict[str, Known], seen: Seen | None = None, outside: Outside | None = None
    ) -> None:
        """Go by these from now on, and keep them on disk if that will spare the next process enough."""
        gone = len(self.known.keys() - known.keys())
        self._unsaved += gone + sum(self.known.get(run) is not one for run, one in known.items())
        self.known, self.seen, self.outside = known, seen, outside
        if self._shelf is None or len(known) < FEW or time.monotonic() - self._saved < SAVE_S:
            return
        if self._is_worth_saving():
            told = None if seen is None else asdict(seen) | {"trash": sorted(seen.trash)}
            self._shelf.save(list(known.values()), {"seen": told, "outside": outside})
            self._kept, self._saved, self._unsaved = (_moment(seen), outside), time.monotonic(), 0

    def _is_worth_saving(self) -> bool:
        """Few runs are read as quickly as all are written."""
        if self._kept is None or self._kept[0] != _moment(self.seen):
            return True
        if self._unsaved:
            return self._unsaved * MANY >= len(self.known)
        return self.outside not in (None, self._kept[1])

    def forget(self) -> None:
        """Nothing is known any more."""
        self.known, self.seen, self.outside, self._kept = {}, None, None, None


def _moment(seen: Seen | None) -> float | None:
    """When everything was read."""
    return None if seen is None else seen.moment
