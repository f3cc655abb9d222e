"""One progress display for a sweep: a bar in a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress

from explorer.launch.packing import Pack
from explorer.store.stop import Stop
from explorer.words import counted
from trainables.evaluation.reading import Evaluation

__all__ = ["Progress"]

_LINE_EVERY = 15.0
_NAMED = 3
"""Failed trials that are named, of those with one reason."""


class Progress:
    """Counts iterations over all trials; says what finished, failed, and stands best."""

    def __init__(self, console: Console, trials: int, iterations: int, goals: Sequence[str]) -> None:
        """``trials`` to come and ``iterations`` over all of them, as far as known; ``goals`` are what it tells of."""
        self._goals = goals
        self._console = console
        self._trials = trials
        self._total = max(iterations, 1)
        self._packs: dict[str, tuple[Pack, int]] = {}
        self._reasons: Counter[str] = Counter()
        self._done = 0
        self._ended: set[str] = set()
        self._last = ""
        self._said = self._began = time.monotonic()
        self._bar = RichProgress(
            TextColumn("[bold]{task.description}"),
            BarColumn(bar_width=None),
            TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.fields[ended]} trials"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("[dim]{task.fields[last]}"),
            console=console,
            disable=not console.is_terminal,
        )

    def __enter__(self) -> Progress:
        self._bar.start()
        self._task = self._bar.add_task("sweep", total=self._total, last="starting", ended=self._count())
        return self

    def __exit__(self, *exc: object) -> None:
        self._bar.stop()
        self._tell_the_rest()

    @property
    def iterations(self) -> int:
        """Iterations trained so far, over all trials."""
        return self._done

    def started(self, name: str, pack: Pack) -> None:
        """A pack begins."""
        self._packs[name] = (pack, 0)
        self._show()

    def advanced(self, name: str, reached: int) -> None:
        """The trials of a pack have so many iterations behind them in all; those that are trained again count once."""
        pack, before = self._packs[name]
        self._packs[name] = (pack, max(before, reached))
        self._done += max(0, reached - before)
        self._show()

    def say(self, sentence: str) -> None:
        """Something the user should know."""
        self._tell(f"[yellow]note:[/] {escape(sentence)}")

    def evaluated(self, trial: str, evaluation: Evaluation, stop: Stop | None = None) -> None:
        """A trial was measured, or is at fault; of trials with one reason the first few are named."""
        if evaluation.fault is not None:
            self._ended.add(trial)
            reason = evaluation.fault.reason
            self._reasons[reason] += 1
            if self._reasons[reason] <= _NAMED:
                self._tell(f"[yellow]trial {trial} failed:[/] {escape(reason)}")
        elif evaluation.metrics:
            m = evaluation.metrics
            self._last = " ".join(f"{goal} {m[goal]:.3g}" for goal in self._goals if goal in m)
            if evaluation.final:
                self._ended.add(trial)
        self._show()

    def failed(self, trials: Sequence[str], reason: str) -> None:
        """Trials are given up."""
        left = [trial for trial in trials if trial not in self._ended]
        self._ended.update(left)
        if left:
            self._tell(f"[red]{counted(len(left), 'trial')} failed:[/] {escape(reason)}")

    def _tell_the_rest(self) -> None:
        for reason, count in self._reasons.items():
            if count > _NAMED:
                self._tell(f"[yellow]{counted(count - _NAMED, 'trial')} more failed:[/] {escape(reason)}")

    def _tell(self, line: str) -> None:
        """One line, however long: paths in it are to be copied."""
        self._console.print(line, highlight=False, soft_wrap=True)

    def _count(self) -> str:
        return f"{len(self._ended)}/{self._trials}"

    def _show(self) -> None:
        self._bar.update(self._task, completed=self._done, last=self._last or "training", ended=self._count())
        now = time.monotonic()
        if not self._console.is_terminal and now - self._said > _LINE_EVERY:
            self._said = now
            share = min(1.0, self._done / self._total)
            self._console.print(
                f"{share:4.0%} after {now - self._began:.0f} s: {self._count()} trials ended, "
                f"{self._last or 'training'}",
                highlight=False,
            )
