"""Runs as the store has them, read as far as they can be, and what the tracker remembers of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast, get_args

from explorer.store import schema
from explorer.store.foreign import as_number, as_text, as_whole
from explorer.store.schema import Status
from trainables.evaluation.diagnostics import DIAGNOSTICS

if TYPE_CHECKING:
    from mlflow.entities import Run

__all__ = [
    "Remembered",
    "StoredRun",
    "completeness",
    "most_complete",
    "rank_of",
    "remember",
    "status_of",
    "stored",
]

_DIAGNOSTICS = frozenset(entry.key for entry in DIAGNOSTICS)
"""Of training, which reading again does not repeat."""


@dataclass(frozen=True)
class StoredRun:
    """A run with text where text belongs and numbers where numbers do, whatever others wrote there.

    Attributes:
        started: when it began, in MLflow's milliseconds; 0 where no time stands.
        ended: when it ended, 0 until then.
        tags: as they are; a tag without a value is absent.
        params: as they are; ``schema.decode`` reads them.
        metrics: last values by key.
        last_step: the newest step among the last values.
        faults: what could not be read and was left out.
    """

    run_id: str
    experiment_id: str
    status: Status
    started: int
    ended: int
    artifact_uri: str
    tags: Mapping[str, str]
    params: Mapping[str, str]
    metrics: Mapping[str, float]
    last_step: int | None
    faults: tuple[str, ...] = ()


@dataclass
class Remembered:
    """A run as last read or written.

    Attributes:
        params: paths of the parameters it has.
        noted: tags that say how it ended, which go when it starts again.
        metrics: last values by key.
        marks: its readings, each with the fingerprint of what it depends on.
        spoilt: metrics of which a value that is not finite has been told.
        ended: when it ended last, in MLflow's milliseconds; 0 until then.
        tags: as they are, and its name.
        laid: tags that go with the next request.
        files: digests of its artifacts by name, as far as they were told.
    """

    run_id: str
    artifact_uri: str
    status: Status
    last_step: int | None = None
    params: set[str] = field(default_factory=set)
    noted: set[str] = field(default_factory=set)
    metrics: dict[str, float] = field(default_factory=dict)
    marks: dict[schema.At, str] = field(default_factory=dict)
    spoilt: set[str] = field(default_factory=set)
    ended: int = 0
    tags: dict[str, str] = field(default_factory=dict)
    laid: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    def merged(self, marks: Mapping[schema.At, str]) -> tuple[dict[schema.At, str], set[str]]:
        """The marks after new readings, and the keys of metrics that do not belong beside them unless measured again.

        A reading that is not made again stays if it was made as the new ones are: with the same samples and metrics,
        which the mark of the model as it is tells. One that is made in another way leaves nothing behind.
        """
        if not marks:
            return dict(self.marks), set()
        if self.marks.get(schema.PLAIN) == marks.get(schema.PLAIN):
            other = {at for at, mark in marks.items() if self.marks.get(at, mark) != mark}
            stale = (
                {key for key in self.metrics if schema.parse_metric_key(key)[0] in other} if other else set()
            )
            return {**self.marks, **marks}, stale
        measured = {key for key in self.metrics if schema.parse_metric_key(key)[1] not in _DIAGNOSTICS}
        return dict(marks), measured


def stored(run: Run) -> StoredRun:
    """A run as MLflow returned it."""
    info = run.info
    found = run.data._metric_objs  # the public dictionary leaves the steps out
    metrics = {as_text(metric.key): as_number(metric.value) for metric in found}
    steps = [step for metric in found if (step := as_whole(metric.step)) is not None]
    return StoredRun(
        run_id=as_text(info.run_id),
        experiment_id=as_text(info.experiment_id),
        status=status_of(info.status),
        started=as_whole(info.start_time) or 0,
        ended=as_whole(info.end_time) or 0,
        artifact_uri=as_text(info.artifact_uri),
        tags=_texts(run.data.tags),
        params=_texts(run.data.params),
        metrics={key: value for key, value in metrics.items() if value is not None},
        last_step=max(steps, default=None),
        faults=tuple(f"its {key} is no number" for key, value in metrics.items() if value is None),
    )


def remember(run: StoredRun) -> Remembered:
    """A run as it was read."""
    return Remembered(
        run_id=run.run_id,
        artifact_uri=run.artifact_uri,
        status=run.status,
        last_step=run.last_step,
        params=set(run.params),
        noted={schema.REASON, schema.OUTCOME, schema.STOPPED} & set(run.tags),
        metrics=dict(run.metrics),
        marks=schema.decode_readings(run.tags.get(schema.READINGS)),
        ended=run.ended,
        tags=dict(run.tags),
        files=schema.decode_files(run.tags.get(schema.FILES)),
    )


def most_complete(runs: list[StoredRun]) -> list[StoredRun]:
    """Runs of one identity, the one to keep first: finished ones, then by later last step, then by age."""
    return sorted(runs, key=completeness)


def completeness(run: StoredRun) -> tuple[bool, int, int, str]:
    """By which runs of one identity are ordered, the one to keep first."""
    return rank_of(run.status, run.last_step, run.started, run.run_id)


def rank_of(status: Status, last_step: int | None, started: int, run_id: str) -> tuple[bool, int, int, str]:
    """The same of a run of which no more is known."""
    return status != "finished", 1 if last_step is None else -last_step, started, run_id


def status_of(said: object) -> Status:
    """MLflow's FINISHED, FAILED, KILLED and RUNNING; its SCHEDULED has not begun and counts as running."""
    status = as_text(said).lower()
    return cast(Status, status) if status in get_args(Status) else "running"


def _texts(pairs: Mapping[str, str]) -> dict[str, str]:
    return {as_text(key): as_text(value) for key, value in pairs.items() if value is not None}
