"""Sweeps that are deleted, to MLflow's trash, and brought back: what goes, what stays, and where that lies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from explorer.errors import UserError, brief
from explorer.promotion import Promotion
from explorer.results.runs import identity_of, info_of, sweep_of
from explorer.results.store import ResultStore
from explorer.results.trash import living_trials, registered, returning, trashed_sweep, trashed_trials
from explorer.store import schema
from explorer.store.deletion_mark import mark_of, marked
from explorer.store.runs import StoredRun
from explorer.tracking.trash import Trash

__all__ = ["Deletion", "Undone", "delete", "planned", "undo"]


@dataclass(frozen=True)
class Deletion:
    """What deleting a sweep takes.

    Attributes:
        uri, sweep, experiment: where it is.
        run_id: the sweep's own run.
        updated: when its last launch ended, or began.
        trials: runs of its trials that still live.
        statuses: how many of them stand how.
        promoted: trials that somebody promoted, with the word.
        registered: models in the registry that were made from its runs.
        begun: a deletion that was interrupted goes on.
        checkpoints: where its trials keep their states, which stay.
    """

    uri: str
    sweep: str
    experiment: str
    run_id: str
    updated: datetime
    trials: tuple[str, ...]
    statuses: Mapping[str, int]
    promoted: Mapping[str, str]
    registered: tuple[str, ...]
    begun: bool
    checkpoints: str


@dataclass(frozen=True)
class Undone:
    """A sweep that was brought back: its own run, and how many of its trials' runs."""

    run_id: str
    experiment: str
    trials: int


def planned(uri: str, sweep: str, experiment: str | None = None) -> Deletion:
    """What would go, were the sweep deleted now; changes nothing. O(trials)."""
    store = ResultStore(uri, experiment)
    parent, place = _parent(store, sweep)
    trials = living_trials(store, parent)
    marks = {identity_of(run): Promotion.parse(run.tags.get(schema.PROMOTED)) for run in trials}
    return Deletion(
        uri=uri,
        sweep=sweep,
        experiment=place,
        run_id=parent.run_id,
        updated=info_of(parent, place).updated,
        trials=tuple(run.run_id for run in trials),
        statuses=Counter(run.status for run in trials),
        promoted={trial: mark.tag for trial, mark in marks.items() if mark is not None},
        registered=tuple(registered(store, {run.run_id for run in trials})),
        begun=schema.DELETED in parent.tags,
        checkpoints=_checkpoints(store, sweep, parent.experiment_id),
    )


def delete(plan: Deletion, tell: Callable[[str], None] = lambda text: None) -> int:
    """Move the sweep to MLflow's trash, its own run at last; how many runs of trials went.

    Refused while a driver holds it. Interrupted, it goes on when it is called again. O(trials) requests.
    """
    trash = Trash(plan.uri)
    with trash.held(plan.sweep, plan.run_id, tell):
        store = ResultStore(plan.uri, plan.experiment)
        parent = store.parent(plan.sweep)
        # Once more, now that nobody adds to them.
        runs = [run.run_id for run in living_trials(store, parent)]
        if not plan.begun:
            trash.mark(plan.run_id, mark_of([run.run_id for run in trashed_trials(store, parent)]))
        trash.throw(runs, lambda done: tell(f"{done:,} of {len(runs):,} trials moved to the trash"))
    trash.close(plan.sweep, plan.run_id)
    return len(runs)


def undo(
    uri: str, sweep: str, experiment: str | None = None, tell: Callable[[str], None] = lambda text: None
) -> Undone:
    """Bring the sweep of that name back that was deleted last; whatever of it is there already stays as it is.

    Refused where another sweep of that name lives beside it. Interrupted, it goes on when it is called again.
    """
    store = ResultStore(uri, experiment)
    begun = [run for run, _ in store.parents() if sweep_of(run) == sweep and schema.DELETED in run.tags]
    if begun:
        parent, place = _parent(store, sweep, begun[0].experiment_id)
    else:
        parent, place = trashed_sweep(store, sweep)
    if any(
        sweep_of(run) == sweep and run.experiment_id == parent.experiment_id and run.run_id != parent.run_id
        for run, _ in store.parents()
    ):
        raise UserError(
            f"a sweep's name is its own, and another '{brief(sweep)}' has begun in experiment '{brief(place)}' since; "
            f"delete that one first, or bring this one back with `mlflow runs restore --run-id {parent.run_id}`"
        )
    trash = Trash(uri)
    trash.revive(parent.run_id)
    with trash.held(sweep, parent.run_id, tell):
        before = marked(parent.tags)
        runs = [
            run.run_id
            for run in returning(living_trials(store, parent), trashed_trials(store, parent), before)
        ]
        trash.bring_back(parent.run_id, runs, lambda done: tell(f"{done:,} of {len(runs):,} trials are back"))
    return Undone(parent.run_id, place, len(runs))


def _parent(store: ResultStore, sweep: str, experiment_id: str | None = None) -> tuple[StoredRun, str]:
    """The sweep's own run, and the name of its experiment."""
    parent = store.parent(sweep, experiment_id)
    return parent, next(place for run, place in store.parents() if run.run_id == parent.run_id)


def _checkpoints(store: ResultStore, sweep: str, experiment_id: str) -> str:
    """Where its trials keep their states, as its file says."""
    import yaml

    from explorer.launch.places import storage_place
    from explorer.storage import shown_storage

    try:
        raw = yaml.safe_load(store.document(sweep, experiment_id) or "")
        resources = raw.get("resources") if isinstance(raw, dict) else None
        named = resources.get("storage") if isinstance(resources, dict) else None
    except (yaml.YAMLError, ValueError, RecursionError):
        named = None
    return shown_storage(storage_place(named if isinstance(named, str) else None))
