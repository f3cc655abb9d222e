"""All checks in their order, none of which ends the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import yaml

from explorer.doctor.checkpoints import check_checkpoints
from explorer.doctor.cluster import check_ray
from explorer.doctor.finding import Finding, Subject
from explorer.doctor.locks import check_locks
from explorer.doctor.machine import check_machine
from explorer.doctor.runs import Inventory, check_runs, take_inventory
from explorer.doctor.spools import check_spools
from explorer.doctor.storage import check_storage
from explorer.doctor.torch_build import check_torch
from explorer.doctor.tracking_store import check_store
from explorer.doctor.versions import check_versions
from explorer.errors import UserError, root_cause
from explorer.results.lean import local_file
from explorer.results.runs import identity_of, sweep_of
from explorer.results.store import ResultStore
from explorer.store.addresses import sqlite_file
from explorer.store.schema import SWEEP_FILE
from trainables.nearest import nearest

__all__ = ["examine"]


def examine(subject: Subject) -> Iterator[Finding]:
    """What is found, check by check: the installation, the machine, the store, then what sweeps left in it."""
    for check in (check_versions, check_torch, check_machine, check_ray):
        yield from _kept(check, subject)
    answers = [*_kept(check_store, subject)]
    yield from answers
    if any(finding.state == "problem" for finding in answers):
        yield from _kept(check_spools, subject)
        yield from _kept(check_storage, subject)
        return
    runs = take_inventory(subject)
    _refuse_unknown(subject, runs)
    placed = replace(subject, storages=_storages(subject, runs))
    yield from _kept(check_storage, placed)
    yield from _kept(lambda asked: check_runs(asked, runs), placed)
    known = {identity_of(run) for trials in runs.trials.values() for run in trials}
    asked = {
        identity_of(run)
        for trials in runs.trials.values()
        for run in trials
        if sweep_of(run) == subject.sweep
    }
    yield from _kept(lambda one: check_checkpoints(one, asked if subject.sweep else known), placed)
    yield from _kept(check_locks, placed)
    yield from _kept(check_spools, placed)


def _kept(check: Callable[[Subject], Iterator[Finding]], subject: Subject) -> Iterator[Finding]:
    """A check that fails is a finding, and the others follow."""
    try:
        yield from check(subject)
    except Exception as error:
        said = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {root_cause(error)}"
        name = getattr(check, "__name__", "check").removeprefix("check_").replace("_", " ")
        yield Finding(name if name != "<lambda>" else "sweeps", "problem", f"could not be looked at: {said}")


def _refuse_unknown(subject: Subject, runs: Inventory) -> None:
    names = sorted(
        {sweep_of(run) for run in runs.parents} | {sweep_of(r) for t in runs.trials.values() for r in t}
    )
    if subject.sweep is not None and subject.sweep not in names:
        raise UserError(f"no sweep '{subject.sweep}' in this store{nearest(subject.sweep, names)}")


def _storages(subject: Subject, runs: Inventory) -> tuple[str | None, ...]:
    """What sweeps name as ``resources.storage``, by the files that are kept with their runs; the usual place too."""
    store = ResultStore(subject.uri, subject.experiment)
    asked = [parent for parent in runs.parents if subject.sweep in (None, sweep_of(parent))]
    near = sqlite_file(subject.uri) is not None
    named = [
        _storage(local_file(one, SWEEP_FILE) if near else store.artifact_bytes(one.run_id, SWEEP_FILE))
        for one in asked
    ]
    return tuple(dict.fromkeys(named if named and subject.sweep is not None else [None, *named]))


def _storage(raw: bytes | None) -> str | None:
    """Of a sweep file that may be another's; nothing of it is built."""
    try:
        document = yaml.safe_load(raw or b"")
        storage = document["resources"]["storage"]
    except (yaml.YAMLError, UnicodeDecodeError, KeyError, TypeError, RecursionError, ValueError):
        return None
    return storage if isinstance(storage, str) and storage else None
