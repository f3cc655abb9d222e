"""Optuna's studies as sweeps: parameters, values under their names, directions as objectives, states as statuses."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from explorer.goals import MOST_GOALS, Goal
from explorer.results.catalogue import INFINITE, built_in
from explorer.results.runs import SweepInfo
from explorer.results.table import Scalar, Status, Trial, TrialTable
from explorer.store.foreign import as_text, clean, load_json
from explorer.store.schema import PLAIN

__all__ = ["METRIC_NAMES", "Study", "StudyTrial", "millis", "param_value"]

METRIC_NAMES = "study:metric_names"
"""The attribute under which Optuna keeps what a study calls its values."""

_STATUSES: Mapping[str, Status] = {
    "COMPLETE": "finished",
    "FAIL": "failed",
    "PRUNED": "killed",
    "RUNNING": "running",
    "WAITING": "running",
}
_DIRECTIONS = {"MINIMIZE": "min", "MAXIMIZE": "max"}


@dataclass
class StudyTrial:
    """A trial as Optuna keeps it; ``values`` by number of the objective, ``noted`` what was set on it by its user."""

    number: int
    state: str
    params: dict[str, Scalar] = field(default_factory=dict)
    values: dict[int, float] = field(default_factory=dict)
    noted: dict[str, Any] = field(default_factory=dict)
    started: int = 0
    ended: int = 0


@dataclass
class Study:
    """A study as Optuna keeps it; ``names`` of its values, if it has some."""

    id: str
    name: str
    directions: Sequence[str]
    names: Sequence[str] = ()
    trials: list[StudyTrial] = field(default_factory=list)

    def value_names(self) -> list[str]:
        """A name per objective: the study's own, else ``values_0``, ``values_1``, …"""
        own = [clean(as_text(name)).strip() for name in self.names]
        if len(own) == len(self.directions) and all(own) and len(set(own)) == len(own):
            return own
        return [f"values_{i}" for i in range(len(self.directions))]

    def info(self, updated: datetime) -> SweepInfo:
        """The study in a list of sweeps."""
        running = any(_STATUSES.get(trial.state) == "running" for trial in self.trials)
        times = [time for trial in self.trials for time in (trial.started, trial.ended) if time]
        moment = datetime.fromtimestamp(max(times) / 1000, UTC) if times else updated
        status: Status = "running" if running else "finished"
        return SweepInfo(clean(self.name), "", status, len(self.trials), moment, "Optuna", self.id, "study")

    def table(self, name: str) -> TrialTable:
        """The trials, under the study's own objectives. O(trials)."""
        names = self.value_names()
        goals = [
            Goal(metric, _DIRECTIONS.get(direction, "min"))  # type: ignore[arg-type]
            for metric, direction in zip(names, self.directions, strict=True)
        ]
        trials = tuple(_trial(trial, names) for trial in self.trials)
        faults: tuple[str, ...] = ()
        if len(goals) > MOST_GOALS:
            faults = (f"its objectives beyond the first {MOST_GOALS}",)
        return TrialTable(name, tuple(goals[:MOST_GOALS]), trials, "", built_in(), faults)


def _trial(trial: StudyTrial, names: Sequence[str]) -> Trial:
    status = _STATUSES.get(trial.state, "running")
    numbers = {clean(name): value for name, value in trial.noted.items() if _is_number(value)}
    numbers |= {names[i]: value for i, value in trial.values.items() if 0 <= i < len(names)}
    sound = {name: float(value) for name, value in numbers.items() if name.strip() and abs(value) < INFINITE}
    return Trial(
        id=str(trial.number),
        run_id=str(trial.number),
        status=status,
        params={
            clean(path): value for path, value in trial.params.items() if path.strip() and value is not None
        },
        readings={PLAIN: sound},
        reason="pruned" if trial.state == "PRUNED" else None,
        started=trial.started,
        ended=trial.ended,
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def param_value(inner: object, distribution: str) -> Scalar:
    """A parameter from Optuna's own number for it and its distribution: a choice, a whole number or a number."""
    told = load_json(distribution)
    named = told.get("name") if isinstance(told, dict) else None
    kind = named if isinstance(named, str) else ""
    attributes = told.get("attributes", {}) if isinstance(told, dict) else {}
    if not isinstance(inner, int | float) or not math.isfinite(inner):
        return None
    if kind == "CategoricalDistribution":
        choices = attributes.get("choices") if isinstance(attributes, dict) else None
        if not isinstance(choices, list) or not 0 <= int(inner) < len(choices):
            return None
        choice = choices[int(inner)]
        if isinstance(choice, float) and not math.isfinite(choice):
            return str(choice)
        return clean(as_text(choice)) if isinstance(choice, str | list | dict) else choice
    return int(inner) if kind.startswith("Int") and abs(inner) < 2**62 else float(inner)


def millis(told: object) -> int:
    """A time of Optuna's, by this machine's clock where it says no other, in milliseconds; 0 where it is none."""
    try:
        return int(1000 * datetime.fromisoformat(as_text(told)).timestamp())
    except (ValueError, OverflowError, OSError):
        return 0
