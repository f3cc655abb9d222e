"""Stores and folders as broken sweeps leave them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from explorer.doctor.finding import Finding, Subject
from explorer.store.connection import Connection
from explorer.store.schema import KIND, PARENT, SWEEP, TRIAL
from explorer.tracking import Tracker
from tests.stores import empty_store

__all__ = ["again", "found", "left_running", "subject"]

A, B, C = "a" * 12, "b" * 12, "c" * 12


def subject(folder: Path, **changes: object) -> Subject:
    return Subject(f"sqlite:///{folder / 'mlflow.db'}", **changes)  # type: ignore[arg-type]


def left_running(folder: Path, sweep: str = "s") -> Tracker:
    """A store with a finished, a running and a failed trial, and no driver."""
    file = folder / "mlflow.db"
    tracker = Tracker(f"sqlite:///{file}" if file.exists() else empty_store(folder), "tests")
    tracker.open_sweep(sweep, {"fid": "min"}, "", "name: x\n", '{"metrics": []}')
    tracker.start([(A, {"seed": 1}), (B, {"seed": 2}), (C, {"seed": 3})])
    tracker.log(A, 5, {"fid": 1.0})
    tracker.finish(A)
    tracker.fail(C, "broken")
    return tracker


def again(folder: Path, trial: str, parent: str | None = None, sweep: str = "s") -> str:
    """One more run of a trial, of the same sweep's run or another's; its id."""
    client = Connection(f"sqlite:///{folder / 'mlflow.db'}").client
    experiment = client.get_experiment_by_name("tests").experiment_id
    (first,) = client.search_runs([experiment], f"tags.`{KIND}` = 'sweep' and tags.`{SWEEP}` = '{sweep}'")
    tags = {KIND: "trial", SWEEP: sweep, TRIAL: trial, PARENT: parent or first.info.run_id}
    return str(client.create_run(experiment, tags=tags).info.run_id)


def found(findings: Iterable[Finding], about: str) -> list[Finding]:
    return [finding for finding in findings if finding.about == about]
