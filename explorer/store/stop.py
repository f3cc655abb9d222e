"""A trial that was ended early, as its run's tag tells it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from explorer.store.foreign import clean, load_json

__all__ = ["Stop"]


@dataclass(frozen=True)
class Stop:
    """A trial that a stopper ended: at which iteration, by which stopper (its fingerprint), and why."""

    iteration: int
    by: str
    reason: str

    @property
    def kind(self) -> str:
        """What trials that ended for the same cause share: the reason up to its first colon."""
        return self.reason.partition(":")[0]

    def text(self) -> str:
        """For a tag."""
        return json.dumps({"iteration": self.iteration, "by": self.by, "reason": self.reason})

    def words(self) -> str:
        """For people."""
        return f"stopped at iteration {self.iteration:,}: {self.reason}"

    @staticmethod
    def parse(text: str | None) -> Stop | None:
        """What ``text`` wrote; None from anything else."""
        raw = load_json(text)
        try:
            return Stop(int(raw["iteration"]), str(raw["by"]), clean(str(raw["reason"])))
        except (ValueError, TypeError, KeyError, OverflowError):
            return None
