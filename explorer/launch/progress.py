"""One progress display for a sweep: a bar in a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress

from explorer.launch.packing import Pack
from trainables.evaluation.reading import Evaluation

__all__ = ["Progress"]

_LINE_EVERY = 15.0


class Progress:
    """Counts iterations over all trials; says what finished, failed, and stands best."""

    def __init__(self, console: Console, trials: int, iterations: int, goals: Sequence[str]) -> None:
        """``trials`` to come and ``iterations`` over all of them, as far as known; ``goals`` are what it tells of."""
        self._goals = goals
        self._console = console
        self._trials = trials
        self._total = max(iterations, 1)
        self._packs: dict[str, tuple[Pack, int]] = {}
        self._done = 0
        self._ended: set[str] = set()
        self._failed = 0
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

    @property
    def iterations(self) -> int:
        """Iterations trained so far, over all trials."""
        return self._done

    def started(self, name: str, pack: Pack) -> None:
        """A pack begins."""
        self._packs[name] = (pack, pack.trials[0].start)
        self._show()

    def advanced(self, name: str, iteration: int, alive: int) -> None:
        """A pack has reached an iteration, with so many of its trials: others were stopped before."""
        pack, before = self._packs[name]
        self._packs[name] = (pack, max(before, iteration))
        self._done += max(0, iteration - before) * alive
        self._show()

    def evaluated(self, trial: str, evaluation: Evaluation) -> None:
        """A trial was measured."""
        if evaluation.diverged:
            self._failed += 1
            self._ended.add(trial)
            self._console.print(f"[yellow]trial {trial} {escape(evaluation.diverged)}[/]")
        elif evaluation.metrics:
            m = evaluation.metrics
            self._last = " ".join(f"{goal} {m[goal]:.3g}" for goal in self._goals if goal in m)
            if evaluation.final:
                self._ended.add(trial)
        self._show()

    def failed(self, name: str, reason: str) -> None:
        """A pack is given up."""
        pack, _ = self._packs[name]
        left = [t.id for t in pack.trials if t.id not in self._ended]
        self._failed += len(left)
        self._ended.update(left)
        self._console.print(f"[red]{len(left)} trials failed:[/] {escape(reason)}")

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
