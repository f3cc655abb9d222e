"""What the tracker remembers of a run, which spares it every further question to the store."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, cast

from explorer.store import schema

if TYPE_CHECKING:
    from mlflow.entities import Run

__all__ = ["Known", "Remembered", "Status", "most_complete", "remember", "status_of"]

Status = Literal["finished", "failed", "killed", "running"]


@dataclass(frozen=True)
class Known:
    """What MLflow holds of a trial.

    Attributes:
        run_id: its run.
        status: where it stands; ``running`` before a launch means that its driver died.
        last_step: iteration of its newest evaluation, None before the first.
    """

    run_id: str
    status: Status
    last_step: int | None


@dataclass
class Remembered:
    """A run as last read or written.

    Attributes:
        params: paths of the parameters it has.
        reason: whether it says why it failed.
        spoilt: metrics of which a value that is not finite has been told.
    """

    run_id: str
    artifact_uri: str
    status: Status
    last_step: int | None = None
    params: set[str] = field(default_factory=set)
    reason: bool = False
    spoilt: set[str] = field(default_factory=set)

    def known(self) -> Known:
        """The part that others may see."""
        return Known(self.run_id, self.status, self.last_step)


def remember(run: Run) -> Remembered:
    """A run as the store returned it."""
    return Remembered(
        run_id=run.info.run_id,
        artifact_uri=run.info.artifact_uri,
        status=status_of(run),
        last_step=_last_step(run),
        params=set(run.data.params),
        reason=schema.REASON in run.data.tags,
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
    return cast(Status, status) if status in ("finished", "failed", "killed") else "running"


def _last_step(run: Run) -> int | None:
    """The newest step among the last values; MLflow's public dictionary of metrics leaves the steps out."""
    return max((int(metric.step) for metric in run.data.to_proto().metrics), default=None)
