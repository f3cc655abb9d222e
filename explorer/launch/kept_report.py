"""The report of a sweep among the artifacts of its run, once the sweep has ended."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from explorer.errors import root_cause
from explorer.launch.places import tracking_uri
from explorer.store.schema import REPORT_FILE
from explorer.sweep.sweep import Sweep

if TYPE_CHECKING:
    from explorer.launch.run import Outcome

__all__ = ["keep_report"]

LARGEST = 30_000_000
"""Bytes: some 5 MB of it are what draws its figures."""


def keep_report(sweep: Sweep, outcome: Outcome, tell: Callable[[str], None]) -> None:
    """Write the report of a sweep that has come to its end and has anything new in it, or none yet.

    A sweep that was stopped gets it when it goes on to its end, and one whose driver was killed just before at the next
    launch. What goes wrong is told, and costs nothing else.
    """
    if outcome.interrupted or outcome.halted is not None:
        return
    remedy = f"`tradeoff front {sweep.name} --html FILE` writes it"
    try:
        from explorer.report import write_report
        from explorer.results.store import ResultStore
        from explorer.tracking.artifact import write_artifact

        store = ResultStore(tracking_uri(sweep), sweep.tracking.experiment)
        run = store.parent(sweep.name).run_id
        if outcome.reused == outcome.trials and store.artifact_bytes(run, REPORT_FILE) is not None:
            return
        with TemporaryDirectory() as folder:
            page = Path(folder) / REPORT_FILE
            write_report(store, store.table(sweep.name), page)
            content = page.read_bytes()
        if len(content) > LARGEST:
            tell(f"the report is left out: it has {len(content) / 1e6:.0f} MB, more than 30; {remedy}")
            return
        write_artifact(store.uri, run, REPORT_FILE, content)
    except Exception as error:  # a page of plots must not make a failure of a sweep that is complete
        tell(f"the report is left out ({root_cause(error)}); {remedy}")
