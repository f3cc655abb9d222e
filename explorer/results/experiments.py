"""Experiments of a store whoever wrote them, and their runs."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from explorer.results.store import ResultStore
from explorer.store import swift
from explorer.store.connection import Connection
from explorer.store.foreign import as_text
from explorer.store.runs import StoredRun, stored

__all__ = ["Outline", "experiment_runs", "outlines"]


class Outline(NamedTuple):
    """An experiment from afar: ``runs`` that live in it (of a server: at least so many), the newest time of them."""

    experiment_id: str
    name: str
    runs: int
    running: bool
    updated: int


def outlines(store: ResultStore, without: Collection[str], most: int) -> list[Outline]:
    """The living experiments but for those ``without``; of a server the ``most`` newest, each of which is asked."""
    if not store.exists():
        return []
    found = store.swiftly(swift.outlines)
    if found is not None:
        return [Outline(*told) for told in found if told[0] not in without]
    link = store.connection()
    page = link.read(lambda: link.client.search_experiments(max_results=most + len(without)))
    wanted = [one for one in page if one.experiment_id not in without][:most]
    return [_outline(link, as_text(one.experiment_id), as_text(one.name)) for one in wanted]


def _outline(link: Connection, experiment: str, name: str) -> Outline:
    """The newest runs of an experiment tell how it stands."""
    runs = [stored(run) for run in link.read(lambda: link.client.search_runs([experiment], max_results=10))]
    running = any(run.status == "running" for run in runs)
    updated = max((max(run.started, run.ended) for run in runs), default=0)
    return Outline(experiment, name, len(runs), running, updated)


def experiment_runs(store: ResultStore, experiment: str, faults: list[str]) -> list[StoredRun]:
    """All living runs of an experiment, oldest first; what could not be read is among ``faults``."""
    found = store.swiftly(lambda link: swift.runs_of(link, swift.living(link, experiment)))
    return list(store.connection().search([experiment], {}, faults)) if found is None else found
