"""A sweep run by run with all that the store has of it, for whoever takes it to another store."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.errors import brief, telling
from explorer.results.runs import identity_of, sweep_of
from explorer.results.store import ResultStore
from explorer.store import schema
from explorer.store.foreign import as_text
from explorer.store.runs import StoredRun, completeness, stored
from explorer.store.travel import packed_tags
from explorer.store.whole import Input, WholeRun, travelling, without_summary

if TYPE_CHECKING:
    from mlflow.entities import Run
    from mlflow.store.artifact.artifact_repo import ArtifactRepository

__all__ = ["WholeSweep"]

MOST_FILES, DEEPEST = 10_000, 12
"""Artifacts of one run, and folders in folders among them."""


class WholeSweep:
    """A sweep of a store. Of each trial some words are held that say which it is; a run is read when it is asked for.

    Attributes:
        name: of the sweep.
        experiment: the name of its experiment.
        trials: (identity, run) of every trial, in the order in which they were begun; of twins the most complete.
        faults: what cannot be read.
    """

    def __init__(self, store: ResultStore, name: str, experiment_id: str | None = None) -> None:
        self._store = store
        self.faults: list[str] = []
        self._parent = store.parent(name, experiment_id)
        self.name = sweep_of(self._parent)
        self.experiment = store.experiment_name(self._parent.experiment_id)
        found: dict[str, StoredRun] = {}
        where = {schema.PARENT: self._parent.run_id}
        for run in store.connection().search([self._parent.experiment_id], where, self.faults):
            identity = identity_of(run)
            if identity and (identity not in found or completeness(run) < completeness(found[identity])):
                found[identity] = _light(run)
        ordered = sorted(found.items(), key=lambda item: (item[1].started, item[0]))
        self.trials = [(identity, run.run_id) for identity, run in ordered]
        self._places = {run.run_id: run.artifact_uri for run in (self._parent, *found.values())}
        self._repositories: dict[str, ArtifactRepository] = {}

    @property
    def parent(self) -> str:
        """The sweep's own run."""
        return self._parent.run_id

    def run(self, run_id: str) -> WholeRun:
        """One of its runs, as it travels; what is no text, number or time is left out and named."""
        store = self._store.connection()
        found = store.read(lambda: store.client.get_run(run_id), f"run {run_id}")
        run = stored(found)
        self.faults += [f"run {run_id} ({fault})" for fault in run.faults]
        tags = travelling(dict(sorted(run.tags.items())))
        whole = WholeRun(
            name=run.tags.get("mlflow.runName", ""),
            status=run.status,
            started=run.started,
            ended=run.ended,
            tags=packed_tags(tags, run_id),
            params=dict(sorted(run.params.items())),
            histories=self._store.points(run_id, sorted(run.metrics)),
            inputs=_inputs(found),
        )
        return without_summary(whole) if run_id == self.parent else whole

    def files(self, run_id: str) -> list[str]:
        """Paths of a run's artifacts that travel, those in folders too, by name."""
        found: list[str] = []
        folders: list[tuple[str | None, int]] = [(None, 0)]
        with telling(
            lambda error: (
                f"the artifacts of run {run_id} cannot be listed ({brief(str(error), 120)}); mend their place, "
                "or name the server that keeps them"
            )
        ):
            repository = self._repository(run_id)
            while folders:
                folder, depth = folders.pop()
                store = self._store.connection()
                for file in store.call(lambda folder=folder: repository.list_artifacts(folder)):  # type: ignore[misc]
                    if file.is_dir and depth < DEEPEST:
                        folders.append((file.path, depth + 1))
                    elif not file.is_dir:
                        found.append(file.path)
                if len(found) > MOST_FILES:
                    self.faults.append(f"artifacts of run {run_id} beyond the first {MOST_FILES:,}")
                    break
        summed = {schema.FRONT_FILE} if run_id == self.parent else set()
        return sorted(set(found) - summed)[:MOST_FILES]

    def fetch(self, run_id: str, path: str, folder: Path) -> Path:
        """A copy of an artifact in a folder of ours."""
        store = self._store.connection()
        with telling(
            lambda error: f"artifact {brief(path)} of run {run_id} cannot be read ({brief(str(error), 120)})"
        ):
            repository = self._repository(run_id)
            return Path(store.call(lambda: repository.download_artifacts(path, str(folder))))  # type: ignore[no-untyped-call]

    def _repository(self, run_id: str) -> ArtifactRepository:
        if run_id not in self._repositories:
            self._repositories = {run_id: self._store.connection().artifacts(self._places[run_id])}
        return self._repositories[run_id]


def _inputs(run: Run) -> tuple[Input, ...]:
    """The data that a run used, in an order that is its own."""
    found = []
    for one in run.inputs.dataset_inputs if run.inputs else ():
        data, tags = one.dataset, {as_text(tag.key): as_text(tag.value) for tag in one.tags}
        found.append(
            Input(
                as_text(data.name),
                as_text(data.digest),
                as_text(data.source_type),
                as_text(data.source),
                as_text(data.schema),
                as_text(data.profile),
                dict(sorted(tags.items())),
            )
        )
    return tuple(sorted(found, key=lambda one: (*one[:6], *one.tags.items())))


def _light(run: StoredRun) -> StoredRun:
    """What orders runs of one identity and where their artifacts lie, without what they hold."""
    return replace(run, tags={}, params={}, metrics={}, faults=())
