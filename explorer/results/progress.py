"""How far a sweep is: who has ended and when, how fast that goes, how long the rest takes, what it has cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from explorer.results.columns import Columns

__all__ = ["Planned", "SweepProgress", "planned_of", "progress_of"]

Numbers = NDArray[np.float64]

STATUSES = ("finished", "running", "failed", "killed")
"""In the order in which they are told."""
RECENT = 30
"""Trials whose pace stands for the pace now."""
LONGEST = 256 * 1024
"""Characters of a sweep file that is looked into."""


@dataclass(frozen=True)
class Planned:
    """How many trials a sweep file asks for; ``at_most`` where conditions on its axes may leave some out."""

    trials: int
    at_most: bool = False


@dataclass(frozen=True, eq=False)
class SweepProgress:
    """Where the trials of a sweep stand.

    Attributes:
        counts: trials by status, those with none left out.
        planned: how many there will be, if that is known.
        moments: (N,) seconds since the first one began at which each ended; NaN of one that has not, or told no time.
        began: when the first one began, in MLflow's milliseconds; 0 where no trial says.
        busy: seconds during which at least one trial was under way.
        rate: trials that end in a minute, of late; NaN while too few have.
        left: trials that have still to end, None where that is not known.
        train_seconds, gpu_seconds: (N,) what each took, NaN where it was not told.
    """

    counts: Mapping[str, int]
    planned: Planned | None
    moments: Numbers
    began: int
    busy: float
    rate: float
    left: int | None
    train_seconds: Numbers
    gpu_seconds: Numbers

    @property
    def ended(self) -> int:
        """Trials that have ended, well or not."""
        return sum(count for status, count in self.counts.items() if status != "running")

    @property
    def remaining_s(self) -> float:
        """Seconds until all have ended at the pace of late; NaN where that is not known."""
        if self.left is None or not self.rate > 0:
            return math.nan
        return 60 * self.left / self.rate


def progress_of(columns: Columns, planned: Planned | None = None, now: int | None = None) -> SweepProgress:
    """How the trials of a table stand at ``now`` (MLflow's milliseconds; the last moment told, if None). O(N log N).

    The pace is that of the last ``RECENT`` trials that ended, in time during which some trial was under way: a sweep
    that rested for a night has not slowed down.
    """
    started = np.array([trial.started for trial in columns.trials], dtype=np.float64)
    ended = np.array([trial.ended for trial in columns.trials], dtype=np.float64)
    over = (columns.statuses != "running") & (ended > 0) & (started > 0) & (ended >= started)
    known = started[started > 0]
    began = int(known.min()) if len(known) else 0
    moments = np.where(over, (ended - began) / 1000, np.nan)
    last = float(max(ended[over].max(initial=0), started.max(initial=0))) if now is None else float(now)
    until = np.where(over, ended, last)
    begun = (started > 0) & (over | (columns.statuses == "running"))
    work = _union(started[begun] / 1000, until[begun] / 1000)
    counts = {status: int((columns.statuses == status).sum()) for status in STATUSES}
    done = len(columns) - counts["running"]
    total = None if planned is None else max(planned.trials, len(columns))
    return SweepProgress(
        counts={status: count for status, count in counts.items() if count},
        planned=planned,
        moments=moments,
        began=began,
        busy=float(sum(high - low for low, high in work)),
        rate=_rate(np.sort(ended[over]) / 1000, work),
        left=None if total is None else total - done,
        train_seconds=columns.metric("train_seconds"),
        gpu_seconds=columns.metric("gpu_seconds"),
    )


def planned_of(document: str | None) -> Planned | None:
    """How many trials a stored sweep file asks for, bases not counted; None where it does not tell.

    A search says it itself; a grid is counted from its lists and steps, and no search finds more points than there are.
    """
    raw = _loaded(document)
    seeds = raw.get("seeds", 1)
    repeats = len(seeds) if isinstance(seeds, list) else seeds
    if not raw or not _is_count(repeats):
        return None
    search = raw.get("search")
    asked = search.get("trials") if isinstance(search, Mapping) else None
    told = asked if isinstance(asked, int) and _is_count(asked) else None
    boxes = raw.get("space")
    boxes = boxes if isinstance(boxes, list) else [boxes or {}]
    sizes = [_size(box) for box in boxes]
    if any(size is None for size in sizes):
        return None if told is None else Planned(told)
    there = sum(size for size in sizes if size is not None) * repeats
    if told is not None and told <= there:
        return Planned(told)
    return Planned(there, at_most=not all(_is_certain(box) for box in boxes))


def _loaded(document: str | None) -> Mapping[str, Any]:
    """A sweep file that the store holds; nothing from one that is none."""
    try:
        raw = yaml.safe_load(document or "") if len(document or "") <= LONGEST else None
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    return raw if isinstance(raw, Mapping) else {}


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**9


def _size(box: object) -> int | None:
    """Points of a product of axes; None where an axis has no end."""
    if not isinstance(box, Mapping):
        return None
    size = 1
    for axis in box.values():
        inner = axis.get("choice", axis.get("steps")) if isinstance(axis, Mapping) else axis
        values = len(inner) if isinstance(inner, list) else inner
        if not isinstance(values, int) or not _is_count(values):
            return None
        size *= values
    return size


def _is_certain(box: Mapping[str, Any]) -> bool:
    """Whether all axes of a box apply everywhere: fields of a member do not where another one takes its place."""
    if any(isinstance(axis, Mapping) and "when" in axis for axis in box.values()):
        return False
    several = {
        str(path).rpartition(".")[0]
        for path, axis in box.items()
        if str(path).endswith(".name") and isinstance(axis, list) and len(axis) > 1
    }
    fields = {str(path).partition(".")[0] for path in box if not str(path).endswith(".name")}
    return not several & fields


def _union(low: Numbers, high: Numbers) -> list[tuple[float, float]]:
    """Intervals as few that do not meet. O(N log N)."""
    found: list[tuple[float, float]] = []
    for at in np.argsort(low, kind="stable"):
        if found and low[at] <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], float(high[at]))
        else:
            found.append((float(low[at]), float(high[at])))
    return found


def _rate(ended: Numbers, work: list[tuple[float, float]]) -> float:
    """Trials a minute: those of late over the time worked from before the first of them up to the last look."""
    if not len(ended) or not work:
        return math.nan
    recent = ended[-RECENT:]
    # Trials of a pack end together: the window opens where the one before the first of these ended.
    earlier = ended[ended < recent[0]]
    opened = float(earlier[-1]) if len(earlier) else work[0][0]
    seconds = sum(max(0.0, high - max(low, opened)) for low, high in work)
    count = int((ended > opened).sum())
    return 60 * count / seconds if seconds > 0 else math.nan
