"""One progress display for a sweep: live in a terminal, a line now and then elsewhere, JSON lines, or nothing."""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from explorer.goals import Goal
from explorer.launch.clock import Clock
from explorer.launch.packing import Pack
from explorer.launch.standing import Standing
from explorer.store.stop import Stop
from explorer.words import counted
from trainables.evaluation.reading import Evaluation

__all__ = ["STYLES", "Progress", "Style"]

Style = Literal["auto", "live", "lines", "json", "quiet"]
STYLES: tuple[Style, ...] = ("auto", "live", "lines", "json", "quiet")

_LINE_EVERY = 15.0
_NAMED = 3
"""Failed trials that are named, of those with one reason."""


class Progress:
    """Keeps the standing of a sweep and shows it; says what failed, and why, as it happens.

    Attributes:
        clock: seconds by what they were spent on, over all lanes.
    """

    def __init__(
        self,
        console: Console,
        trials: int,
        iterations: int,
        goals: Sequence[Goal],
        style: Style = "auto",
    ) -> None:
        """``trials`` to come and ``iterations`` over all of them, as far as known."""
        self.standing = Standing(goals, trials, iterations)
        self.clock = Clock()
        self._console = console
        self._style = ("live" if console.is_terminal else "lines") if style == "auto" else style
        self._named: Counter[str] = Counter()
        self._said = time.monotonic()
        self._live = Live(console=console, get_renderable=self._shown, refresh_per_second=2, transient=True)

    def __enter__(self) -> Progress:
        if self._style == "live":
            self._live.start()
        return self

    def __exit__(self, *exc: object) -> None:
        if self._style == "live":
            self._live.stop()
        self._tell_the_rest()
        if self._style == "json":
            self._line()

    @property
    def iterations(self) -> int:
        """Iterations trained so far, over all trials."""
        return self.standing.done

    def started(self, name: str, pack: Pack) -> None:
        """A pack begins."""
        self.standing.start(name, pack)
        self._now_and_then()

    def advanced(self, name: str, reached: int, memory: float | None = None) -> None:
        """The trials of a pack have so many iterations behind them, with such a share of a card's memory."""
        self.standing.advance(name, reached)
        if memory is not None:
            self.standing.memory = max(self.standing.memory or 0.0, memory)
        self._now_and_then()

    def say(self, sentence: str) -> None:
        """Something the user should know."""
        self._tell("note", sentence, f"[yellow]note:[/] {escape(sentence)}")

    def evaluated(self, trial: str, evaluation: Evaluation, stop: Stop | None = None) -> None:
        """A trial was measured, or is at fault; of trials with one reason the first few are named."""
        self.standing.measure(trial, evaluation, stop)
        if evaluation.fault is not None:
            reason = evaluation.fault.reason
            self._named[reason] += 1
            if self._named[reason] <= _NAMED or self._style == "json":
                self._tell(
                    "failed", reason, f"[yellow]trial {trial} failed:[/] {escape(reason)}", trial=trial
                )
        self._now_and_then()

    def failed(self, trials: Sequence[str], reason: str) -> None:
        """Trials are given up."""
        left = self.standing.fail(trials, reason)
        if left:
            told = f"[red]{counted(len(left), 'trial')} failed:[/] {escape(reason)}"
            self._tell("failed", reason, told, trials=left)

    def _tell_the_rest(self) -> None:
        for reason, count in self._named.items():
            if count > _NAMED and self._style != "json":
                more = f"{counted(count - _NAMED, 'trial')} more failed:"
                self._tell("failed", reason, f"[yellow]{more}[/] {escape(reason)}")

    def _tell(self, event: str, sentence: str, line: str, **fields: Any) -> None:
        """One line, however long: paths in it are to be copied."""
        if self._style == "json":
            self._json({"event": event, "text": sentence, **fields})
        else:
            self._console.print(line, highlight=False, soft_wrap=True)

    def _json(self, document: dict[str, Any]) -> None:
        stamp = {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
        line = json.dumps({**stamp, **document}, ensure_ascii=False)
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    def _now_and_then(self) -> None:
        now = time.monotonic()
        if self._style in ("lines", "json") and now - self._said > _LINE_EVERY:
            self._said = now
            self._line()

    def _line(self) -> None:
        if self._style == "json":
            self._json({"event": "progress", **self.standing.document(), "spent": self.clock.rounded()})
        else:
            self._console.print(
                f"{self.standing.share:4.0%} " + self._words(), highlight=False, soft_wrap=True
            )

    def _words(self) -> str:
        """Where the sweep stands, in a line."""
        now = self.standing
        parts = [f"after {_clock(now.seconds)}: {now.ended}/{now.trials} trials ended"]
        if now.running:
            parts.append(f"{now.running} running in {counted(now.packs, 'pack')}")
        parts += self._asides()
        if now.left is not None and now.share < 1:
            parts.append(f"about {_clock(now.left)} left")
        return ", ".join(parts)

    def _asides(self) -> list[str]:
        now = self.standing
        size, volume = now.front()
        parts = [f"{count} stopped early ({kind})" for kind, count in now.stopped.items()]
        if now.failed:
            parts.append(f"{sum(now.failed.values())} failed")
        if size:
            told = "" if math.isnan(volume) else f", hypervolume {volume:.4g}"
            parts.append(f"{size} on the front{told}")
        elif now.last:
            parts.append(" ".join(f"{name} {value:.3g}" for name, value in now.last.items()))
        if now.memory is not None:
            parts.append(f"GPU memory {now.memory:.0%}")
        return parts

    def _shown(self) -> Group:
        """Bar, counts, and what was found so far."""
        now = self.standing
        row = Table.grid(padding=(0, 1))
        row.add_column(no_wrap=True)
        row.add_column(ratio=1)
        row.add_column(no_wrap=True)
        left = "" if now.left is None else f"{_clock(now.left)} left"
        row.add_row(
            Text(f"{now.share:4.0%}", style="bold"),
            ProgressBar(total=1.0, completed=now.share),
            Text(f"{_clock(now.seconds)}  {left}", style="dim"),
        )
        counts = Text.assemble(
            (f"     {now.ended}/{now.trials}", "bold"),
            f" trials ended, {now.running} running in {counted(now.packs, 'pack')}",
        )
        asides = self._asides()
        last = " ".join(f"{name} {value:.3g}" for name, value in now.last.items())
        second = Text(
            "     " + " · ".join([*asides, *([f"last: {last}"] if last and now.finished else [])]),
            style="dim",
        )
        row.expand = True
        return Group(row, counts, second)


def _clock(seconds: float) -> str:
    whole = round(seconds)
    if whole < 90:
        return f"{whole} s"
    if whole < 5400:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
