"""What of a sweep lives and what lies in MLflow's trash: what a deletion takes, and what undoing it brings back."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Literal

from explorer.errors import UserError, brief
from explorer.results.runs import identity_of, sweep_of
from explorer.results.store import ResultStore
from explorer.store import schema, swift
from explorer.store.addresses import shown_address
from explorer.store.connection import Connection
from explorer.store.foreign import as_text
from explorer.store.runs import StoredRun, most_complete, stored

__all__ = ["living_trials", "registered", "returning", "trashed_sweep", "trashed_trials"]

Stage = Literal["active", "deleted"]

PAGE = 200
"""Runs, or versions of models, that are asked for at once."""


def living_trials(store: ResultStore, parent: StoredRun) -> list[StoredRun]:
    """All living runs under a sweep's run, also several of one trial. O(trials)."""
    return _of(store, [parent.experiment_id], (schema.PARENT, parent.run_id), "active")


def trashed_trials(store: ResultStore, parent: StoredRun) -> list[StoredRun]:
    """All runs in the trash under a sweep's run, living or not. O(trials)."""
    return _of(store, [parent.experiment_id], (schema.PARENT, parent.run_id), "deleted")


def returning(
    living: Sequence[StoredRun], trashed: Sequence[StoredRun], before: Collection[str]
) -> list[StoredRun]:
    """Those in the trash that come back: not what lay there ``before``, and of each trial without a run the best."""
    there = {identity_of(run) for run in living}
    by_identity: dict[str, list[StoredRun]] = {}
    for run in trashed:
        identity = identity_of(run) or run.run_id
        if identity not in there and run.run_id not in before:
            by_identity.setdefault(identity, []).append(run)
    return [most_complete(same)[0] for same in by_identity.values()]


def trashed_sweep(store: ResultStore, name: str) -> tuple[StoredRun, str]:
    """The run of the sweep of that name that was deleted last, and the name of its experiment.

    Refuses a name of which nothing lies in the trash, or in several experiments.
    """
    places = store.experiments()
    found = [
        run for run in _of(store, list(places), (schema.KIND, "sweep"), "deleted") if sweep_of(run) == name
    ]
    if not found:
        raise UserError(
            f"no sweep '{brief(name)}' in MLflow's trash of {shown_address(store.uri)}; what was removed for good "
            "(`mlflow gc`) comes back from an archive alone"
        )
    if len({run.experiment_id for run in found}) > 1:
        told = brief(", ".join(sorted({places[run.experiment_id] for run in found})), 90)
        raise UserError(
            f"sweep '{brief(name)}' is in the trash of several experiments ({told}); say which with --experiment"
        )
    last = max(found, key=lambda run: (run.tags.get(schema.DELETED, ""), run.started, run.run_id))
    return last, places[last.experiment_id]


def registered(store: ResultStore, runs: Collection[str]) -> list[str]:
    """``NAME version N`` of every registered model that was made from one of these runs, told by their ids.

    A store without a registry has none. One request per 200 versions there are.
    """
    from mlflow.exceptions import MlflowException

    link, found, token = store.connection(), list[str](), None
    while True:
        try:
            page = link.call(
                lambda token=token: link.client.search_model_versions("", max_results=PAGE, page_token=token)  # type: ignore[misc]
            )
        except MlflowException:
            return found
        found += [f"{as_text(one.name)} version {one.version}" for one in page if one.run_id in runs]
        token = page.token
        if not token:
            return sorted(found)


def _of(store: ResultStore, experiments: list[str], tag: tuple[str, str], stage: Stage) -> list[StoredRun]:
    """Runs of a stage that have a tag, with their tags."""
    told = store.swiftly(
        lambda link: [
            run
            for run in swift.runs_of(link, swift.living(link, None, tag, stage), whole=stage == "deleted")
            if run.experiment_id in experiments
        ]
    )
    if told is not None:
        return told
    link = store.connection()
    if stage == "active":
        return list(link.search(experiments, dict([tag]), []))
    return list(_asked(link, experiments, tag))


def _asked(link: Connection, experiments: list[str], tag: tuple[str, str]) -> Iterator[StoredRun]:
    """What lies in the trash, page by page."""
    from mlflow.entities import ViewType

    where, token = f"tags.`{tag[0]}` = '{tag[1]}'", None
    while experiments:
        page = link.read(
            lambda token=token: link.client.search_runs(  # type: ignore[misc]
                experiments, where, ViewType.DELETED_ONLY, max_results=PAGE, page_token=token
            )
        )
        yield from map(stored, page)
        token = page.token
        if not token:
            return
