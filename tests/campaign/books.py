"""What the store of a campaign holds, read from its file itself: MLflow and its server may be down."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Books", "Page", "Told"]

Told = frozenset[tuple[str, int, float, int]]
"""All that was stored of a trial: metric, step, value, and when."""


@dataclass(frozen=True)
class Page:
    """The runs of a sweep at one moment: by trial its status and reason, its runs, what was stored."""

    statuses: Mapping[str, str] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    told: Mapping[str, Told] = field(default_factory=dict)
    parents: tuple[str, ...] = ()

    def finished(self) -> set[str]:
        """The trials that are over and good."""
        return {trial for trial, status in self.statuses.items() if status == "FINISHED"}


class Books:
    """Reads a sweep's pages, and compares each with those before it."""

    def __init__(self, file: Path, sweep: str) -> None:
        self._file, self._sweep = file, sweep
        self._known: dict[str, Told] = {}

    def page(self) -> Page:
        """What is there now."""
        if not self._file.exists():
            return Page()
        with closing(sqlite3.connect(self._file, timeout=60)) as link:
            runs = self._runs(link)
            told: dict[str, set[tuple[str, int, float, int]]] = {}
            query = "select run_uuid, key, step, value, timestamp, is_nan from metrics"
            for run, key, step, value, when, is_nan in link.execute(query):
                told.setdefault(run, set()).add((key, step, 0.0 if is_nan else value, when))
        trials = {run: tags for run, (_, tags) in runs.items() if tags.get("tradeoff.kind") == "trial"}
        identity = {run: tags["tradeoff.trial"] for run, tags in trials.items()}
        return Page(
            {identity[run]: runs[run][0] for run in trials},
            {identity[run]: tags.get("tradeoff.reason", "") for run, tags in trials.items()},
            Counter(identity.values()),
            {identity[run]: frozenset(told.get(run, ())) for run in trials},
            tuple(status for status, tags in runs.values() if tags.get("tradeoff.kind") == "sweep"),
        )

    def _runs(self, link: sqlite3.Connection) -> dict[str, tuple[str, dict[str, str]]]:
        """Status and tags of every run of the sweep that is not in the trash."""
        runs: dict[str, tuple[str, dict[str, str]]] = {}
        for run, status in link.execute("select run_uuid, status from runs where lifecycle_stage = 'active'"):
            runs[run] = (status, {})
        for run, key, value in link.execute("select run_uuid, key, value from tags"):
            if run in runs:
                runs[run][1][key] = value
        return {run: both for run, both in runs.items() if both[1].get("tradeoff.sweep") == self._sweep}

    def faults(self, page: Page) -> list[str]:
        """What is wrong with a page, whoever drives the sweep at the moment."""
        wrong = [f"{trial} has {count} runs" for trial, count in page.counts.items() if count > 1]
        if len(page.parents) > 1:
            wrong.append(f"the sweep has {len(page.parents)} runs")
        for trial, before in self._known.items():
            if page.statuses.get(trial) != "FINISHED":
                wrong.append(f"{trial} was finished and is {page.statuses.get(trial, 'gone')}")
            elif page.told[trial] != before:
                wrong.append(f"{trial} was finished and has been written since")
        for trial, told in page.told.items():
            # What is read as at its end where a rung stopped it may differ there from what was read before.
            same = Counter((key, step, value) for key, step, value, _ in told)
            twice = sorted(key for (key, _, _), count in same.items() if count > 1)
            if twice:
                wrong.append(f"{trial} has {twice[0]} twice at a step")
        self._known |= {trial: page.told[trial] for trial in page.finished()}
        return wrong
