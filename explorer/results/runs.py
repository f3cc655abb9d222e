"""Runs as sweeps and trials. What others wrote into them is read as far as it can be."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

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
        kind: ``sweep`` of ours, or what stands for one: an ``experiment`` of others, a ``csv`` file, a ``study``, a
            folder of ``ray``.
    """

    name: str
    description: str
    status: Status
    trials: int
    updated: datetime
    experiment: str
    experiment_id: str
    kind: str = "sweep"


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
    """A trial's own run; a last value that is not finite counts as absent. Keys of others' runs name no readings."""
    tags = run.tags
    is_ours = schema.KIND in tags or schema.TRIAL in tags
    reason = tags.get(schema.REASON)
    return Trial(
        id=identity_of(run),
        run_id=run.run_id,
        status=run.status,
        params=_params(run),
        readings=_readings(run.metrics) if is_ours else {schema.PLAIN: _sound(run.metrics)},
        reason=None if reason is None else clean(reason),
        marks=_marks(tags.get(schema.READINGS)),
        stopped=Stop.parse(tags.get(schema.STOPPED)),
        outcome=clean(tags[schema.OUTCOME]) if schema.OUTCOME in tags else None,
        layout=tags.get(schema.LAYOUT, "1"),
        alphas=schema.decode_alphas(tags.get(schema.ALPHAS)),
        started=run.started,
        ended=run.ended,
    )


def _readings(metrics: Mapping[str, float]) -> dict[schema.At, dict[str, float]]:
    """Last values by reading; of keys that say the same, one of today counts more than one of layout 1."""
    values = tuple(metrics.values())
    if values and math.isfinite(sum(values)) and min(values) > -INFINITE and max(values) < INFINITE:
        return {at: dict(zip(names, take(values), strict=True)) for at, names, take in _plan(tuple(metrics))}
    sound = {key: value for key, value in metrics.items() if -INFINITE < value < INFINITE}
    return _readings(sound) if 0 < len(sound) < len(metrics) else _one_by_one(sound)


def _sound(metrics: Mapping[str, float]) -> dict[str, float]:
    """Last values that are numbers, under their own keys."""
    return {
        told: value
        for key, value in metrics.items()
        if -INFINITE < value < INFINITE and (told := clean(key)) and key.strip()
    }


def _one_by_one(metrics: Mapping[str, float]) -> dict[schema.At, dict[str, float]]:
    found: dict[schema.At, dict[str, float]] = {schema.PLAIN: {}}
    places = [(place, metrics[key]) for key in sorted(metrics) if (place := _place(key)) is not None]
    for place, value in sorted(places, key=lambda pair: pair[0].weight):
        found.setdefault(place.at, {})[place.name] = value
    return found


_Take = Callable[[tuple[Any, ...]], Iterable[Any]]


@lru_cache(maxsize=256)
def _plan(keys: tuple[str, ...]) -> tuple[tuple[schema.At, tuple[str, ...], _Take], ...]:
    """Which of the values under these keys belong to which reading, under which names."""
    where = _one_by_one({key: float(number) for number, key in enumerate(keys)})
    plans = []
    for at, names in where.items():
        numbers = [int(number) for number in names.values()]
        plans.append((at, tuple(names), _taking(numbers)))
    return tuple(plans)


def _taking(numbers: Sequence[int]) -> _Take:
    if len(numbers) > 1:
        return itemgetter(*numbers)
    return lambda values: [values[number] for number in numbers]


class _Place(NamedTuple):
    """Where the value of a key belongs; of two in one place that of more weight counts."""

    at: schema.At
    name: str
    weight: int


# Thousands of trials share their keys, and most of their values: each is understood once.
@lru_cache(maxsize=4096)
def _place(key: str) -> _Place | None:
    told = clean(key)
    if not key.strip():
        return None
    at, name = schema.parse_metric_key(told)
    return _Place(at, name, 0 if schema.is_older_key(key) else 2 if name == told else 1)


@lru_cache(maxsize=4096)
def _path(path: str) -> tuple[str, bool]:
    """A parameter's path, empty if it is none, and whether it says how a trial is read."""
    told = clean(path) if path.strip() else ""
    return told, told.partition(".")[0] in ("refinement", "evaluation")


_short = lru_cache(maxsize=2**16)(schema.decode)
_SHORT = 64
"""Characters of a value worth remembering."""


@lru_cache(maxsize=256)
def _marks(text: str | None) -> Mapping[schema.At, str]:
    return schema.decode_readings(text)


def _params(run: StoredRun) -> dict[str, Scalar]:
    """Parameters of a trial, without how a run that layout 1 began was first read: it may be read otherwise today."""
    takes_all = schema.LAYOUT not in run.tags or schema.SOURCE in run.tags
    names, take = _paths(tuple(run.params), takes_all)
    return dict(zip(names, map(_value, take(tuple(run.params.values()))), strict=True))


def _value(text: str) -> Scalar:
    return _short(text) if len(text) <= _SHORT else schema.decode(text)


@lru_cache(maxsize=256)
def _paths(keys: tuple[str, ...], takes_all: bool) -> tuple[tuple[str, ...], _Take]:
    """Which of the values under these keys are parameters, under which paths; of keys that say the same, the last."""
    found: dict[str, int] = {}
    for number, key in enumerate(keys):
        told, is_reading = _path(key)
        if told and (takes_all or not is_reading):
            found[told] = number
    return tuple(found), _taking(list(found.values()))


def _moment(millis: int) -> datetime:
    """MLflow's time; its beginning where others wrote a time that no calendar has."""
    try:
        return datetime.fromtimestamp(millis / 1000, UTC)
    except (OverflowError, OSError, ValueError):
        return datetime.fromtimestamp(0, UTC)
