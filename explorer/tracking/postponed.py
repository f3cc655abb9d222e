"""Entries that are tried again after a while: files that their place refuses, and trials at which a store fails."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Literal

from explorer.errors import root_cause

__all__ = ["Postponed"]

AGAIN = 60.0
"""Seconds after which what was put off is tried again."""

What = Literal["artifacts", "results"]


class Postponed:
    """What waits while everything else goes on.

    Attributes:
        trials: entries by their number, each with its trial.
        held: trials of which nothing is told for now, since what one tells stays in its order.
        trouble: why something was put off last, in a few words.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self.trials: dict[int, str] = {}
        self.held: set[str] = set()
        self.trouble = ""
        self._since = 0.0
        self._failures: dict[What, Counter[str]] = {"artifacts": Counter(), "results": Counter()}

    def add(self, trial: str, numbers: Iterable[int]) -> None:
        """These wait with what waits already."""
        if not self.trials:
            self._since = time.monotonic()
        self.trials |= dict.fromkeys(numbers, trial)

    def failed(self, trial: str, numbers: Iterable[int], error: Exception, what: What) -> None:
        """These could not be stored; told when it is no moment's trouble, of the first trial alone."""
        self.add(trial, numbers)
        self.trouble = f"{what} cannot be stored ({root_cause(error, 150)})"
        if what == "results":
            self.held.add(trial)
        failures = self._failures[what]
        failures[trial] += 1
        if failures[trial] == 2 == max(failures.values()) and list(failures.values()).count(2) == 1:
            reason = root_cause(error, 150)
            self._tell(f"{what} of trial {trial} cannot be stored ({reason}); tried again later")

    def stored(self, trial: str, what: What) -> None:
        """It went well this time."""
        self._failures[what].pop(trial, None)

    def has_files_of(self, trial: str) -> bool:
        """Whether files of a trial wait, before which no others of it are sent."""
        return trial in self.trials.values()

    def has_failed(self, what: What) -> bool:
        """Whether anything failed that did not go well since."""
        return bool(self._failures[what])

    def take_up(self, seconds: float | None = None) -> None:
        """Try all again from here on, if it waits for so long, ``AGAIN`` unless said."""
        if time.monotonic() - self._since >= (AGAIN if seconds is None else seconds):
            self.trials.clear()
            self.held.clear()
