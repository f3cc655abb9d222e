"""What the tracker remembers of a run, which spares it every further question to the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast, get_args

from explorer.store import schema
from explorer.store.schema import Status
from trainables.evaluation.diagnostics import DIAGNOSTICS

if TYPE_CHECKING:
    from mlflow.entities import Run

__all__ = ["Remembered", "most_complete", "remember", "status_of"]

_DIAGNOSTICS = frozenset(entry.key for entry in DIAGNOSTICS)
"""Of training, which reading again does not repeat."""


@dataclass
class Remembered:
    """A run as last read or written.

    Attributes:
        params: paths of the parameters it has.
        noted: tags that say how it ended, which go when it starts again.
        metrics: last values by key.
        marks: its readings, each with the fingerprint of what it depends on.
        spoilt: metrics of which a value that is not finite has been told.
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

    def merged(self, marks: Mapping[schema.At, str]) -> tuple[dict[schema.At, str], set[str]]:
        """The marks after new readings, and the keys of metrics that do not belong beside them unless measured again.

        A reading that is not made again stays if it was made as the new ones are: with the same samples and metrics,
        which the mark of the model as it is tells.
        """
        if not marks:
            return dict(self.marks), set()
        if self.marks.get(schema.PLAIN) == marks.get(schema.PLAIN):
            return {**self.marks, **marks}, set()
        measured = {key for key in self.metrics if schema.parse_metric_key(key)[1] not in _DIAGNOSTICS}
        return dict(marks), measured


def remember(run: Run) -> Remembered:
    """A run as the store returned it."""
    return Remembered(
        run_id=run.info.run_id,
        artifact_uri=run.info.artifact_uri,
        status=status_of(run),
        last_step=_last_step(run),
        params=set(run.data.params),
        noted={schema.REASON, schema.OUTCOME, schema.STOPPED} & set(run.data.tags),
        metrics=dict(run.data.metrics),
        marks=schema.decode_readings(run.data.tags.get(schema.READINGS)),
    )


def most_complete(runs: list[Run]) -> list[Run]:
    """Runs of one identity, the one to keep first: finished ones, then by later last step, then by age."""

    def rank(run: Run) -> tuple[bool, int, int, str]:
        step = _last_step(run)
        return (
            status_of(run) != "finished",
            1 if step is None else -step,
            run.info.start_time,
            run.info.run_id,
        )

    return sorted(runs, key=rank)


def status_of(run: Run) -> Status:
    """MLflow's FINISHED, FAILED, KILLED and RUNNING; its SCHEDULED has not begun and counts as running."""
    status = str(run.info.status).lower()
    return cast(Status, status) if status in get_args(Status) else "running"


def _last_step(run: Run) -> int | None:
    """The newest step among the last values; MLflow's public dictionary of metrics leaves the steps out."""
    return max((int(metric.step) for metric in run.data.to_proto().metrics), default=None)
