"""A run with all that it holds, as it goes from one store to another: every point of every metric, times, tags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from explorer.store import schema
from explorer.store.schema import Status

__all__ = ["OWN_TAGS", "Point", "WholeRun", "is_summed", "without_files", "without_summary"]

OWN_TAGS = frozenset({schema.LEASE, schema.PARENT, schema.IMPORTED, schema.REVISION, schema.SWEEP})
"""Tags that belong to the place where a run lies: they do not travel."""
_SUMMED = frozenset(
    {
        "front_size",
        "gpu_seconds",
        "hypervolume",
        "train_seconds",
        "trials",
        "trials_failed",
        "trials_finished",
        "trials_stopped",
    }
)


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


def is_summed(key: str) -> bool:
    """Whether a metric of a sweep's own run is one of its summary, at any budget."""
    return schema.parse_metric_key(key)[1] in _SUMMED or key.startswith(("best/", "audit/"))


def without_files(run: WholeRun) -> WholeRun:
    """A run whose artifacts stay behind: it claims none."""
    claims = (schema.FILES, schema.LOGGED_MODELS)
    return replace(run, tags={key: value for key, value in run.tags.items() if key not in claims})


def without_summary(run: WholeRun) -> WholeRun:
    """A sweep's own run without what is made of its trials: where it comes to, that is made again, of those there.

    Its description names runs, and its numbers are of the version that wrote them.
    """
    files = schema.decode_files(run.tags.get(schema.FILES))
    kept = {path: digest for path, digest in files.items() if path != schema.FRONT_FILE}
    tags = {key: value for key, value in run.tags.items() if key not in (schema.NOTE, schema.FILES)}
    if kept:
        tags[schema.FILES] = schema.encode_files(kept)
    histories = {key: points for key, points in run.histories.items() if not is_summed(key)}
    return replace(run, tags=tags, histories=histories)
