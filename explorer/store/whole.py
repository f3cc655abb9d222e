"""A run with all that it holds, as it goes from one store to another: every point of every metric, times, tags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from explorer.store import schema
from explorer.store.schema import Status

__all__ = ["OWN_TAGS", "Point", "WholeRun"]

OWN_TAGS = frozenset({schema.LEASE, schema.PARENT, schema.IMPORTED, schema.REVISION, schema.SWEEP})
"""Tags that belong to the place where a run lies: they do not travel."""


class Point(NamedTuple):
    """One value of a metric, NaN among them; ``time`` in MLflow's milliseconds."""

    step: int
    time: int
    value: float


@dataclass(frozen=True)
class WholeRun:
    """A run as a store has it.

    Attributes:
        name: what MLflow calls it.
        status: where it stands.
        started, ended: in MLflow's milliseconds; 0 where no time stands.
        tags: without those that belong to its place.
        params: as they are written.
        histories: every point of every metric, by step and time.
    """

    name: str
    status: Status
    started: int
    ended: int = 0
    tags: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, str] = field(default_factory=dict)
    histories: Mapping[str, Sequence[Point]] = field(default_factory=dict)

    @property
    def over(self) -> WholeRun:
        """The same where nobody drives it: one that ran was ended, at the last time that it tells."""
        if self.status != "running":
            return self
        last = max((point.time for points in self.histories.values() for point in points), default=0)
        return replace(self, status="killed", ended=max(self.ended, last, self.started))
