"""What every source of trials can do, and objectives for tables that name none."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol

from explorer.errors import UserError, brief
from explorer.goals import USUAL_GOALS, Direction, Goal, parse_goals
from explorer.results.catalogue import Catalogue
from explorer.results.runs import SweepInfo
from explorer.results.table import TrialTable
from explorer.results.watch import renewed
from explorer.store.addresses import shown_address
from explorer.store.foreign import load_json
from explorer.store.pulse import outside
from explorer.store.whole import Point
from trainables.nearest import listed, nearest

__all__ = ["FileWatch", "Kind", "Source", "Watching", "guessed_goals", "redirected"]

Kind = Literal["mlflow", "csv", "optuna", "ray"]

_SMALL = (
    "loss",
    "error",
    "fid",
    "kid",
    "nll",
    "rmse",
    "mse",
    "mae",
    "perplexity",
    "distance",
    "seconds",
    "cost",
)
"""Words in the names of what is to be small."""
_GREAT = ("acc", "auc", "f1", "iou", "precision", "psnr", "recall", "return", "reward", "score", "ssim")
"""Words in the names of what is to be great."""


class Watching(Protocol):
    """A sweep that is looked at again and again; ``seconds`` is what another look takes."""

    seconds: float

    def look(self) -> TrialTable:
        """The sweep as it is now: the very table of the last look if nothing changed."""


class Source(ABC):
    """A place that holds sweeps.

    Attributes:
        address: as it was given.
        kind: of which kind the place is.
    """

    kind: ClassVar[Kind]

    def __init__(self, address: str) -> None:
        self.address = address

    @property
    def uri(self) -> str:
        """Its address, as a store has one."""
        return self.address

    @abstractmethod
    def sweeps(self) -> dict[str, SweepInfo]:
        """What it holds by label, newest first."""

    @abstractmethod
    def watch(self, label: str, info: SweepInfo) -> Watching:
        """One of its sweeps, to be looked at again and again."""

    def table(
        self, label: str, info: SweepInfo | None = None, goals: Sequence[Goal] | None = None
    ) -> TrialTable:
        """The trials of one of its sweeps; with other objectives than its own, if some are given."""
        found = replace(self.watch(label, info or self.info(label)).look(), sweep=label)
        return redirected(found, goals) if goals else found

    def info(self, label: str) -> SweepInfo:
        """What is known of the sweep of that label; refuses one that is not there."""
        known = self.sweeps()
        if label not in known:
            names = list(known)
            there = f"; it holds {listed(names)}" if names else ", which holds none"
            raise UserError(
                f"no sweep '{brief(label)}' in '{shown_address(self.address)}'{nearest(label, names, otherwise=there)}"
            )
        return known[label]

    def artifact_bytes(self, run_id: str, name: str) -> bytes | None:
        """A file that belongs to a trial; None where there is none."""
        return None

    def history(self, run_id: str, metric: str) -> list[tuple[int, float]]:
        """(step, value) of a metric while a trial was trained, where that is known."""
        return []

    def points(self, run_id: str, metrics: Sequence[str]) -> Mapping[str, Sequence[Point]]:
        """The histories of some metrics of a trial with their times, 0 where none stands, where they are known."""
        return {}

    def artifact_json(self, run_id: str, name: str) -> dict[str, Any] | None:
        """A JSON object that belongs to a trial; None where there is none."""
        found = load_json(self.artifact_bytes(run_id, name))
        return found if isinstance(found, dict) else None

    def document(self, name: str) -> str | None:
        """The sweep file of a sweep, by its label; None where there is none."""
        return None


class FileWatch:
    """A sweep of a file that is read whole, and again when the file has changed."""

    def __init__(self, file: Path, read: Callable[[], TrialTable]) -> None:
        self._file, self._read = file, read
        self._seen: object = None
        self._last: TrialTable | None = None
        self.seconds = 0.0

    def look(self) -> TrialTable:
        """The sweep as it is now."""
        began, now = time.perf_counter(), outside(self._file)
        if self._last is None or now is None or now != self._seen:
            self._last = renewed(self._read(), self._last)
            self._seen, self.seconds = now, time.perf_counter() - began
        return self._last


def redirected(table: TrialTable, goals: Sequence[Goal]) -> TrialTable:
    """The same trials under other objectives and directions; there must be one at least, and none twice."""
    told = {goal.metric: goal.direction for goal in goals}
    if len(told) < len(goals):
        raise UserError(
            f"an objective must be named once, got {', '.join(brief(goal.metric) for goal in goals)}"
        )
    try:
        return replace(table, goals=parse_goals(told))
    except ValueError as error:
        raise UserError(str(error)) from None


def guessed_goals(metrics: Iterable[str], catalogue: Catalogue) -> tuple[Goal, ...]:
    """Objectives of a table that names none: the usual ones, else those the catalogue knows, else two others.

    Of others those come first whose names say in which direction they improve: a loss is to be small, a score great.
    """
    there = list(dict.fromkeys(metrics))
    usual = {metric: direction for metric, direction in USUAL_GOALS.items() if metric in there}
    known = {
        metric: direction
        for metric in catalogue.ordered(there)
        if not catalogue.is_diagnostic(metric) and (direction := catalogue.direction(metric)) is not None
    }
    chosen = usual if len(usual) > 1 else dict(list(known.items())[:3])
    for metric in sorted(there, key=lambda metric: not _speaks(metric, (*_SMALL, *_GREAT))):
        if len(chosen) >= 2:
            break
        if not catalogue.is_diagnostic(metric):
            chosen.setdefault(metric, known.get(metric) or _direction(metric))
    return parse_goals(chosen or USUAL_GOALS)


def _direction(metric: str) -> Direction:
    return "min" if _speaks(metric, _SMALL) else "max"


def _speaks(metric: str, words: Iterable[str]) -> bool:
    """Whether one of these words is in a name."""
    return any(word in metric.lower() for word in words)
