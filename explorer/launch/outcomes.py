"""How trials end: settled with metrics or a reason, or stopped early."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from explorer.store.foreign import load_json

__all__ = ["Settled", "Stop"]


@dataclass(frozen=True)
class Settled:
    """A trial that is over: its metrics, empty if it failed."""

    metrics: Mapping[str, float]
    reason: str | None = None


@dataclass(frozen=True)
class Stop:
    """A trial that a stopper ended: at which iteration, by which stopper (its fingerprint), and why."""

    iteration: int
    by: str
    reason: str

    def text(self) -> str:
        """For a tag."""
        return json.dumps({"iteration": self.iteration, "by": self.by, "reason": self.reason})

    @staticmethod
    def parse(text: str | None) -> Stop | None:
        """What ``text`` wrote; None from anything else."""
        raw = load_json(text)
        try:
            return Stop(int(raw["iteration"]), str(raw["by"]), str(raw["reason"]))
        except (ValueError, TypeError, KeyError, OverflowError):
            return None
