"""Runs as sweeps and trials. What others wrote into them is read as far as it can be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime

from explorer.goals import Goal, parse_goals
from explorer.results.catalogue import INFINITE
from explorer.results.table import Scalar, Status, Trial
from explorer.store import schema
from explorer.store.foreign import clean, load_json
from explorer.store.runs import StoredRun
from explorer.store.stop import Stop

__all__ = ["SweepInfo", "description_of", "goals_of", "identity_of", "info_of", "sweep_of", "trial_of"]


@dataclass(frozen=True)
class SweepInfo:
    """A sweep in the list of sweeps.

    Attributes:
        name: what it is called in its file and in every command.
        description: free text.
        status: where its last launch stands; ``running`` also after a driver died.
        trials: number of trials begun so far, as of its last launch.
        updated: when its last launch ended, or began if it has not ended.
        experiment: name of the MLflow experiment that holds it, for people.
        experiment_id: the experiment itself, by which the sweep is found again.
    """

    name: str
    description: str
    status: Status
    trials: int
    updated: datetime
    experiment: str
    experiment_id: str


def sweep_of(run: StoredRun) -> str:
    """Name of the sweep whose run this is; empty if it says none."""
    return clean(run.tags.get(schema.SWEEP, ""))


def identity_of(run: StoredRun) -> str:
    """Identity of the trial whose run this is; empty if it says none."""
    return clean(run.tags.get(schema.TRIAL, ""))


def description_of(run: StoredRun) -> str:
    """What the sweep whose run this is says of itself."""
    return clean(run.tags.get(schema.DESCRIPTION, ""))


def info_of(run: StoredRun, experiment: str) -> SweepInfo:
    """A sweep's own run."""
    trials = run.tags.get(schema.TRIALS, "")
    return SweepInfo(
        name=sweep_of(run),
        description=description_of(run),
        status=run.status,
        trials=int(trials) if trials.isdecimal() and len(trials) < 10 else 0,
        # A sweep launched again keeps the end of its former launch until it ends.
        updated=_moment(max(run.started, run.ended)),
        experiment=clean(experiment),
        experiment_id=run.experiment_id,
    )


def goals_of(run: StoredRun) -> tuple[Goal, ...] | None:
    """What the sweep strives for; None if its run does not say it in the way we do."""
    raw = load_json(run.tags.get(schema.OBJECTIVES))
    if not isinstance(raw, dict):
        return None
    try:
        return parse_goals({clean(metric): direction for metric, direction in raw.items()})
    except ValueError:
        return None


def trial_of(run: StoredRun) -> Trial:
    """A trial's own run; a last value that is not finite counts as absent."""
    readings: dict[schema.At, dict[str, float]] = {schema.PLAIN: {}}
    for key, value in sorted(run.metrics.items(), key=lambda pair: not schema.is_older_key(pair[0])):
        if math.isfinite(value) and abs(value) < INFINITE and key.strip():
            at, name = schema.parse_metric_key(clean(key))
            readings.setdefault(at, {})[name] = value
    tags = run.tags
    reason = tags.get(schema.REASON)
    return Trial(
        id=identity_of(run),
        run_id=run.run_id,
        status=run.status,
        params=_params(run),
        readings=readings,
        reason=None if reason is None else clean(reason),
        marks=schema.decode_readings(tags.get(schema.READINGS)),
        stopped=Stop.parse(tags.get(schema.STOPPED)),
        outcome=clean(tags[schema.OUTCOME]) if schema.OUTCOME in tags else None,
        layout=tags.get(schema.LAYOUT, "1"),
        alphas=schema.decode_alphas(tags.get(schema.ALPHAS)),
    )


def _params(run: StoredRun) -> dict[str, Scalar]:
    """Parameters of a trial, without how a run that layout 1 began was first read: it may be read otherwise today."""
    decoded = {clean(path): schema.decode(text) for path, text in run.params.items() if path.strip()}
    if schema.LAYOUT not in run.tags:
        return decoded
    return {
        path: v for path, v in decoded.items() if path.partition(".")[0] not in ("refinement", "evaluation")
    }


def _moment(millis: int) -> datetime:
    """MLflow's time; its beginning where others wrote a time that no calendar has."""
    try:
        return datetime.fromtimestamp(millis / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        return datetime.fromtimestamp(0, UTC)
