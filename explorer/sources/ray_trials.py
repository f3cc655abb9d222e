"""Ray Tune's trials as they lie in folders: what was asked of each, what it reported last, how it ended.

Plain files are read, ``params.json``, ``result.json``, ``progress.csv``, ``error.txt`` and ``experiment_state-*.json``:
neither Ray nor a pickle is opened.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from explorer.errors import brief
from explorer.results.catalogue import INFINITE
from explorer.results.table import Scalar, Status, Trial
from explorer.sources.ray_files import (
    ERROR,
    PARAMS,
    PROGRESS,
    RESULTS,
    TAIL,
    last_report,
    read_json,
    reports,
    tail,
)
from explorer.store.foreign import as_text, clean, decoded, load_json
from explorer.store.schema import PLAIN
from explorer.store.whole import Point

__all__ = ["FILES", "ITS_OWN", "States", "is_trial", "read_states", "read_trial", "reported"]

FILES = (RESULTS, PROGRESS, PARAMS, ERROR)

MOST_NAMES = 2000
"""Metrics, and parameters, of one trial."""

_STATUSES: Mapping[str, Status] = {
    "TERMINATED": "finished",
    "ERROR": "failed",
    "RUNNING": "running",
    "PENDING": "running",
    "PAUSED": "running",
}
ITS_OWN = {
    "checkpoint_dir_name",
    "config",
    "date",
    "done",
    "experiment_id",
    "experiment_tag",
    "hostname",
    "iterations_since_restore",
    "node_ip",
    "pid",
    "should_checkpoint",
    "time_since_restore",
    "time_this_iter_s",
    "timestamp",
    "timesteps_since_restore",
    "timesteps_total",
    "training_iteration",
    "trial_id",
    "warmup_time",
}
"""What Ray adds to every report."""


@dataclass(frozen=True)
class States:
    """What an experiment's own file says of its trials, by the name of their folder; ``is_there``: whether it is.

    ``starts`` are in milliseconds. Reports have whole seconds, in which several trials begin.
    """

    statuses: Mapping[str, Status]
    configs: Mapping[str, Mapping[str, Any]]
    starts: Mapping[str, int] = field(default_factory=dict)
    is_there: bool = True


def read_states(folder: Path, faults: list[str]) -> States:
    """The newest ``experiment_state-*.json`` that can be read; of one that cannot be, the others do not suffer."""
    for file in sorted(folder.glob("experiment_state-*.json"), reverse=True):
        raw = read_json(file)
        if isinstance(raw, dict):
            return _states(raw)
        faults.append(f"{brief(file.name, 60)}, which is torn or too large")
    return States({}, {}, is_there=False)


def _states(raw: Mapping[str, Any]) -> States:
    """A trial is told as JSON in JSON, of earlier versions under another key."""
    statuses: dict[str, Status] = {}
    configs: dict[str, Mapping[str, Any]] = {}
    starts: dict[str, int] = {}
    trials = raw.get("trial_data", raw.get("checkpoints"))
    for one in trials if isinstance(trials, list) else ():
        parts = one if isinstance(one, list) else [one]
        told, later = (_told(part) for part in [*parts, None, None][:2])
        if told is None:
            continue
        place = told.get("relative_logdir") or told.get("logdir") or told.get("trial_id")
        name = as_text(place).rstrip("/").rpartition("/")[2]
        statuses[name] = _STATUSES.get(as_text(told.get("status")), "running")
        if isinstance(told.get("config"), dict):
            configs[name] = told["config"]
        starts[name] = _millis((later or {}).get("start_time"))
    return States(statuses, configs, starts)


def _told(part: Any) -> Mapping[str, Any] | None:
    """What is told of a trial, as JSON or as it is."""
    raw = load_json(part) if isinstance(part, str) else part
    return raw if isinstance(raw, dict) else None


def is_trial(folder: Path) -> bool:
    """Whether a folder is that of a trial: it has parameters or reports."""
    return any((folder / name).is_file() for name in (RESULTS, PROGRESS, PARAMS))


def read_trial(folder: Path, run: str, states: States, faults: list[str]) -> Trial:
    """A trial by its folder, called ``run``: its last whole report. O(a report), however many there are."""
    name = clean(folder.name)
    last = last_report(folder, faults)
    params = read_json(folder / PARAMS)
    if not isinstance(params, dict):
        if (folder / PARAMS).is_file():
            faults.append(f"{PARAMS} of {brief(name, 60)}, which is torn or too large")
        told = last.get("config")
        params = states.configs.get(folder.name) or (told if isinstance(told, dict) else {})
    status = states.statuses.get(folder.name) or _status(folder, last, states)
    ended = _millis(last.get("timestamp"))
    lasted = last.get("time_total_s")
    identity = clean(as_text(last.get("trial_id"))) or name
    return Trial(
        id=identity,
        run_id=run,
        status=status,
        params=_params(params),
        readings={PLAIN: _metrics(last)},
        reason=_reason(folder) if status == "failed" else None,
        started=states.starts.get(folder.name) or max(0, ended - _millis(lasted)),
        ended=ended,
    )


def reported(folder: Path, metrics: Sequence[str]) -> dict[str, list[Point]]:
    """Every report of some metrics, of a step the last one; lines that are torn are passed over. O(reports)."""
    found: dict[str, dict[int, Point]] = {metric: {} for metric in metrics}
    for number, report in enumerate(reports(folder) if metrics else (), start=1):
        told = report.get("training_iteration")
        step = told if isinstance(told, int) and not isinstance(told, bool) else number
        values, moment = _metrics(report), _millis(report.get("timestamp"))
        for metric in metrics:
            if metric in values:
                found[metric][step] = Point(step, moment, values[metric])
    return {metric: sorted(points.values()) for metric, points in found.items()}


def _status(folder: Path, last: Mapping[str, Any], states: States) -> Status:
    """Where no file says how a trial stands; of an experiment without one, what reported and has no error is over."""
    if (folder / ERROR).is_file():
        return "failed"
    return "finished" if last.get("done") is True or (last and not states.is_there) else "killed"


def _reason(folder: Path) -> str | None:
    """The last line of what it died of."""
    try:
        lines = decoded(tail(folder / ERROR, TAIL)).strip().splitlines()
    except OSError:
        return None
    return clean(lines[-1])[:500] if lines else None


def _metrics(report: Mapping[str, Any]) -> dict[str, float]:
    """Numbers of a report, nested ones as ``outer/inner``; what is not finite is absent."""
    found = {}
    for path, value in _flat({key: v for key, v in report.items() if key not in ITS_OWN}, "/"):
        if _is_number(value) and abs(value) < INFINITE and not path.startswith("config/"):
            found[clean(path)] = float(value)
        if len(found) >= MOST_NAMES:
            break
    return found


def _params(config: Mapping[str, Any]) -> dict[str, Scalar]:
    """Scalars of a configuration, nested ones as ``outer.inner``; what is none is text."""
    found: dict[str, Scalar] = {}
    for path, value in _flat(config, "."):
        if isinstance(value, float) and not math.isfinite(value):
            value = str(value)
        if value is not None and path.strip():
            plain = value if isinstance(value, bool | int | float) else clean(brief(as_text(value), 500))
            found[clean(path)] = plain
        if len(found) >= MOST_NAMES:
            break
    return found


def _flat(
    raw: Mapping[str, Any], divider: str, before: str = "", depth: int = 0
) -> Iterator[tuple[str, Any]]:
    for key, value in raw.items():
        path = f"{before}{key}"
        if isinstance(value, dict) and value and depth < 20:
            yield from _flat(value, divider, f"{path}{divider}", depth + 1)
        else:
            yield path, value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _millis(seconds: Any) -> int:
    return round(1000 * seconds) if _is_number(seconds) and 0 <= seconds < 1e11 else 0
