"""A run with all that it holds, as it goes from one store to another: every point of every metric, tags, data."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from explorer.store import schema
from explorer.store.deletion_mark import is_mark
from explorer.store.schema import Status

__all__ = ["Input", "Point", "WholeRun", "is_summed", "travelling", "with_files", "without_summary"]

_OF_THE_PLACE = frozenset({schema.LEASE, schema.PARENT, schema.IMPORTED, schema.REVISION, schema.SWEEP})
_SUMMED = frozenset(
    {
        "bases",
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


class Input(NamedTuple):
    """Data that a run used, in MLflow's own words; ``tags`` say for what, ``schema`` and ``profile`` may be empty."""

    name: str
    digest: str
    kind: str
    source: str
    schema: str = ""
    profile: str = ""
    tags: Mapping[str, str] = {}


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
        inputs: the data that it used, by name and digest.
    """

    name: str
    status: Status
    started: int
    ended: int = 0
    tags: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, str] = field(default_factory=dict)
    histories: Mapping[str, Sequence[Point]] = field(default_factory=dict)
    inputs: Sequence[Input] = ()

    @property
    def over(self) -> WholeRun:
        """The same where nobody drives it: one that ran was ended, at the last time that it tells."""
        if self.status != "running":
            return self
        last = max((point.time for points in self.histories.values() for point in points), default=0)
        return replace(self, status="killed", ended=max(self.ended, last, self.started))


def travelling(tags: Mapping[str, str]) -> dict[str, str]:
    """Tags without those that belong to the place where a run lies: who holds it there, whose it is, its deletion."""
    return {key: value for key, value in tags.items() if key not in _OF_THE_PLACE and not is_mark(key)}


def is_summed(key: str) -> bool:
    """Whether a metric of a sweep's own run is one of its summary, at any budget."""
    return schema.parse_metric_key(key)[1] in _SUMMED or key.startswith(("best/", "lambda_audit/"))


def without_summary(run: WholeRun) -> WholeRun:
    """A sweep's own run without what is made of its trials: where it comes to, that is made again, of those there.

    Its description names runs, and its numbers are of the version that wrote them.
    """
    tags = {key: value for key, value in run.tags.items() if key != schema.NOTE}
    histories = {key: points for key, points in run.histories.items() if not is_summed(key)}
    files = set(schema.decode_files(run.tags.get(schema.FILES))) - {schema.FRONT_FILE}
    return with_files(replace(run, tags=tags, histories=histories), files)


def with_files(run: WholeRun, files: Collection[str]) -> WholeRun:
    """A run that tells of these artifacts alone, and of a model where that is among them.

    Of others the writer that goes on with it would send none again, and MLflow's pages would look for them.
    """
    told = schema.decode_files(run.tags.get(schema.FILES))
    kept = {path: digest for path, digest in told.items() if path in files}
    tags = dict(run.tags)
    if kept != told or not kept:
        tags.pop(schema.FILES, None)
        tags |= {schema.FILES: schema.encode_files(kept)} if kept else {}
    if not any(path.startswith(f"{schema.MODEL_FOLDER}/") for path in files):
        tags.pop(schema.LOGGED_MODELS, None)
    return run if tags == run.tags else replace(run, tags=tags)
