"""Readings that are added to a trial that is over: a refinement at further budgets, and what was found with it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping

from explorer.errors import UserError, root_cause, telling
from explorer.store import schema
from explorer.store.connection import Connection
from explorer.store.runs import remember
from explorer.store.schema import At
from explorer.tracking.entries import Log, now
from explorer.tracking.run_writer import RunWriter

__all__ = ["add_readings"]


def add_readings(
    uri: str,
    run_id: str,
    readings: Mapping[At, Mapping[str, float]],
    marks: Mapping[At, str],
    files: Mapping[str, bytes | str],
) -> list[At]:
    """Store metrics by reading, each with its mark, and artifacts; which readings the run has otherwise, and keeps.

    A reading of the trial's own sweep is not replaced: the sweep would read it again. One that this made before, at the
    same key, is. The sweep's run says that there is news, which the times of a run that is over do not tell.
    """
    store = Connection(uri, make=False)
    with telling(
        lambda error: (
            f"run {run_id} cannot be changed ({root_cause(error)}); look at it with `tradeoff mlflow`"
        )
    ):
        run = remember(store.run(run_id))
        if store.stage(run_id) == "deleted":
            raise UserError(
                f"readings are added to a trial that is there, and run {run_id} is deleted; restore it in MLflow, or "
                "choose another"
            )
        if run.status != "finished":
            raise UserError(
                f"readings are added to a trial that is finished, and run {run_id} is {run.status}"
            )
        left = [at for at in readings if _is_anothers(run.marks.get(at), marks[at])]
        added = {at: found for at, found in readings.items() if at not in left}
        writer = RunWriter(store, store.call)
        writer.keep(run, files)
        if added:
            told = {
                schema.metric_key(at, name): value
                for at, found in added.items()
                for name, value in found.items()
            }
            kept = {at: mark for at, mark in run.marks.items() if at == schema.PLAIN}
            entry = Log(run.last_step or 0, told, {**kept, **{at: marks[at] for at in added}})
            writer.log(run.tags.get(schema.TRIAL, run_id), run, [(now(), entry)])
        parent = run.tags.get(schema.PARENT)
        if parent:
            store.call(lambda: store.client.set_tag(parent, schema.REVISION, secrets.token_hex(8)))
    return left


ADDED = "+"
"""With which the mark of a reading begins that was added."""


def _is_anothers(before: str | None, mark: str) -> bool:
    return before is not None and not before.startswith(ADDED)
