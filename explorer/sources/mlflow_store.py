"""Any MLflow store as a source: our sweeps, and experiments that others wrote."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar

from explorer.results.runs import SweepInfo
from explorer.results.store import ResultStore
from explorer.results.watch import Watch
from explorer.sources.experiments import ExperimentWatch, foreign_experiments
from explorer.sources.source import Kind, Source, Watching
from explorer.store.addresses import sqlite_file
from explorer.store.whole import Point

__all__ = ["StoreSource"]

ASK_S = 60.0
"""Seconds between two looks for experiments of others on a server."""


class StoreSource(Source):
    """An MLflow store; ``patience`` is how long a server that does not answer is waited for, as of ``ResultStore``."""

    kind: ClassVar[Kind] = "mlflow"

    def __init__(self, address: str, patience: float | None = None) -> None:
        super().__init__(address)
        self.store = ResultStore(address, patience=patience)
        self._found: list[SweepInfo] = []
        self._asked = -ASK_S

    def sweeps(self) -> dict[str, SweepInfo]:
        """Our sweeps by name, with the experiment where two share it; then experiments that have none, by theirs."""
        infos = self.store.sweeps()
        infos += self._others({info.experiment_id for info in infos})
        names = Counter(info.name for info in infos)
        return {i.name if names[i.name] == 1 else f"{i.name} @ {_where(i)}": i for i in infos}

    def _others(self, ours: set[str]) -> list[SweepInfo]:
        """Experiments of others: a file tells them at once, a server by a request each, and not at every look."""
        now = time.monotonic()
        if sqlite_file(self.store.uri) is not None or now - self._asked > ASK_S:
            self._found, self._asked = foreign_experiments(self.store, ours), now
        return [info for info in self._found if info.experiment_id not in ours]

    def watch(self, label: str, info: SweepInfo) -> Watching:
        """A sweep of ours, or the runs of an experiment."""
        return ExperimentWatch(self.store, info) if info.kind == "experiment" else Watch(self.store, info)

    def artifact_bytes(self, run_id: str, name: str) -> bytes | None:
        """An artifact of a run."""
        return self.store.artifact_bytes(run_id, name)

    def history(self, run_id: str, metric: str) -> list[tuple[int, float]]:
        """(step, value) of a metric."""
        return self.store.history(run_id, metric)

    def points(self, run_id: str, metrics: Sequence[str]) -> Mapping[str, Sequence[Point]]:
        """Every point of some metrics of a run."""
        return self.store.points(run_id, metrics)


def _where(info: SweepInfo) -> str:
    return info.experiment if info.kind == "sweep" else f"experiment {info.experiment_id}"
