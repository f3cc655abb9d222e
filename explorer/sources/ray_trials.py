"""Ray Tune's trials as they lie in folders: what was asked of each, what it reported last, how it ended.

Plain files are read, ``params.json``, ``result.json``, ``progress.csv``, ``error.txt`` and ``experiment_state-*.json``:
neither Ray nor a pickle is opened.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from explorer.errors import brief
from explorer.results.catalogue import INFINITE
from explorer.results.table import Scalar, Status, Trial
from explorer.sources.scalars import as_scalar
from explorer.store.foreign import as_text, clean, decoded, load_json
from explorer.store.schema import PLAIN

__all__ = ["FILES", "States", "is_trial", "read_states", "read_trial", "reported"]

RESULTS, PROGRESS, PARAMS, ERROR = "result.json", "progress.csv", "params.json", "error.txt"
FILES = (RESULTS, PROGRESS, PARAMS, ERROR)

LARGEST = 1 << 28
"""Bytes of a file that is read whole."""
TAIL, LONGEST_LINE = 1 << 16, 1 << 24
"""Bytes at the end of a file in which its last line is looked for, at first and at most."""
MOST_NAMES = 2000
"""Metrics, and parameters, of one trial."""

_STATUSES: Mapping[str, Status] = {
    "TERMINATED": "finished",
    "ERROR": "failed",
    "RUNNING": "running",
    "PENDING": "running",
    "PAUSED": "running",
}
_ITS_OWN = {
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
    """What an experiment's own file says of its trials, by the name of their folder; ``is_there``: whether it has one."""

    statuses: Mapping[str, Status]
    configs: Mapping[str, Mapping[str, Any]]
    is_there: bool = True


def read_states(folder: Path, faults: list[str]) -> States:
    """The newest ``experiment_state-*.json`` that can be read; of one that cannot be, the others do not suffer."""
    for file in sorted(folder.glob("experiment_state-*.json"), reverse=True):
        raw = _json(file)
        if isinstance(raw, dict):
            return _states(raw)
        faults.append(f"{brief(file.name, 60)}, which is torn or too large")
    return States({}, {}, False)


def _states(raw: Mapping[str, Any]) -> States:
    """A trial is told as JSON in JSON, of earlier versions under another key."""
    statuses: dict[str, Status] = {}
    configs: dict[str, Mapping[str, Any]] = {}
    trials = raw.get("trial_data", raw.get("checkpoints"))
    for one in trials if isinstance(trials, list) else ():
        told = one[0] if isinstance(one, list) and one else one
        told = load_json(told) if isinstance(told, str) else told
        if not isinstance(told, dict):
            continue
        place = told.get("relative_logdir") or told.get("logdir") or told.get("trial_id")
        name = as_text(place).rstrip("/").rpartition("/")[2]
        statuses[name] = _STATUSES.get(as_text(told.get("status")), "running")
        if isinstance(told.get("config"), dict):
            configs[name] = told["config"]
    return States(statuses, configs)


def is_trial(folder: Path) -> bool:
    """Whether a folder is that of a trial: it has parameters or reports."""
    return any((folder / name).is_file() for name in (RESULTS, PROGRESS, PARAMS))


def read_trial(folder: Path, run: str, states: States, faults: list[str]) -> Trial:
    """A trial by its folder, called ``run``: its last whole report. O(a report), however many there are."""
    name = clean(folder.name)
    last = _last_report(folder, faults)
    params = _json(folder / PARAMS)
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
        started=max(0, ended - round(1000 * lasted)) if _is_number(lasted) else ended,
        ended=ended,
    )


def reported(folder: Path, metrics: Sequence[str]) -> dict[str, list[tuple[int, float]]]:
    """(step, value) of every report of some metrics; lines that are torn are passed over. O(reports)."""
    found: dict[str, dict[int, float]] = {metric: {} for metric in metrics}
    for number, report in enumerate(_reports(folder) if metrics else (), start=1):
        told = report.get("training_iteration")
        step = told if isinstance(told, int) and not isinstance(told, bool) else number
        values = _metrics(report)
        for metric in metrics:
            if metric in values:
                found[metric][step] = values[metric]
    return {metric: sorted(points.items()) for metric, points in found.items()}


def _reports(folder: Path) -> Iterator[Mapping[str, Any]]:
    file = folder / RESULTS
    if _size(file):
        with file.open("rb") as lines:
            while line := lines.readline(LONGEST_LINE):
                told = load_json(decoded(line))
                if isinstance(told, dict):
                    yield told
    elif _size(folder / PROGRESS):
        text = decoded((folder / PROGRESS).read_bytes())
        yield from (_row(row) for row in csv.DictReader(io.StringIO(text)))


def _last_report(folder: Path, faults: list[str]) -> Mapping[str, Any]:
    """The last report that is whole; a torn one after it is told."""
    for name in (RESULTS, PROGRESS):
        file = folder / name
        try:
            found, torn = _last_line(file) if name == RESULTS else _last_row(file)
        except OSError:
            continue
        if torn:
            faults.append(f"the end of {name} of {brief(clean(folder.name), 60)}, which is torn")
        if found is not None:
            return found
    return {}


def _last_line(file: Path) -> tuple[Mapping[str, Any] | None, bool]:
    """The last line that is JSON, and whether one after it is none."""
    room, size = TAIL, file.stat().st_size
    while True:
        lines = _tail(file, room).splitlines()
        whole = lines if room >= size else lines[1:]
        for number, line in enumerate(reversed(whole)):
            told = load_json(decoded(line))
            if isinstance(told, dict):
                return told, number > 0
        if room >= min(size, LONGEST_LINE):
            return None, size > 0
        room *= 16


def _last_row(file: Path) -> tuple[Mapping[str, Any] | None, bool]:
    with file.open("rb") as content:
        head = decoded(content.readline(LONGEST_LINE))
    names = next(csv.reader([head]), [])
    lines = _tail(file, TAIL).splitlines()
    for number, line in enumerate(reversed(lines)):
        cells = next(csv.reader([decoded(line)]), [])
        if len(cells) == len(names) and cells != names:
            return _row(dict(zip(names, cells, strict=True))), number > 0
    return None, len(lines) > 1


def _row(row: Mapping[Any, Any]) -> Mapping[str, Any]:
    """Cells as what they spell; names with slashes are those of nested reports."""
    return {key: as_scalar(cell) for key, cell in row.items() if isinstance(key, str) and isinstance(cell, str)}


def _tail(file: Path, room: int) -> bytes:
    with file.open("rb") as content:
        content.seek(max(0, content.seek(0, os.SEEK_END) - room))
        return content.read(room)


def _status(folder: Path, last: Mapping[str, Any], states: States) -> Status:
    """Where no file says how a trial stands; of an experiment without one, what reported and has no error is over."""
    if (folder / ERROR).is_file():
        return "failed"
    return "finished" if last.get("done") is True or (last and not states.is_there) else "killed"


def _reason(folder: Path) -> str | None:
    """The last line of what it died of."""
    try:
        lines = decoded(_tail(folder / ERROR, TAIL)).strip().splitlines()
    except OSError:
        return None
    return clean(lines[-1])[:500] if lines else None


def _metrics(report: Mapping[str, Any]) -> dict[str, float]:
    """Numbers of a report, nested ones as ``outer/inner``; what is not finite is absent."""
    found = {}
    for path, value in _flat({key: v for key, v in report.items() if key not in _ITS_OWN}, "/"):
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


def _flat(raw: Mapping[str, Any], divider: str, before: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
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


def _size(file: Path) -> int:
    """Bytes of a file that may be read whole, 0 where there is none."""
    try:
        size = file.stat().st_size
    except OSError:
        return 0
    return size if size <= LARGEST else 0


def _json(file: Path) -> Any:
    try:
        return load_json(decoded(file.read_bytes())) if _size(file) else None
    except OSError:
        return None
