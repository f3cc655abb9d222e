"""The only reader of MLflow: sweeps, tables of trials, artifacts and histories."""

from __future__ import annotations

import json
import logging
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from explorer.errors import UserError
from explorer.folders import default_database
from explorer.goals import parse_goals
from explorer.results.catalogue import Catalogue, built_in
from explorer.results.table import Scalar, Status, Trial, TrialTable
from explorer.store import schema
from explorer.store.addresses import sqlite_file
from explorer.store.connection import Connection
from explorer.store.database import check_database
from explorer.store.runs import most_complete, status_of
from trainables.nearest import listed, nearest

if TYPE_CHECKING:
    from mlflow.entities import Run

__all__ = ["ResultStore", "SweepInfo"]

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SweepInfo:
    """A sweep in the list of sweeps.

    Attributes:
        name: what it is called in its file and in every command.
        description: free text.
        status: where its last launch stands; ``running`` also after a driver died.
        trials: number of trials begun so far, as of its last launch.
        updated: when its last launch ended, or began if it has not ended.
        experiment: name of the MLflow experiment that holds it.
    """

    name: str
    description: str
    status: Status
    trials: int
    updated: datetime
    experiment: str


class ResultStore:
    """Reads sweeps back from MLflow.

    Args:
        uri: ``sqlite:///FILE``, ``http(s)://HOST`` or another database address.
        experiment: name of the one experiment to look into; all of them if None.
    """

    def __init__(self, uri: str, experiment: str | None = None) -> None:
        self.uri = uri
        self.experiment = experiment
        self._open: Connection | None = None
        self._artifact_uris: dict[str, str] = {}

    def exists(self) -> bool:
        """Whether the store is there. A SQLite file is not, until a sweep makes it."""
        file = sqlite_file(self.uri)
        return file is None or os.path.lexists(file)

    def sweeps(self) -> list[SweepInfo]:
        """All sweeps, newest first; none while the default store is not made yet."""
        infos = [_info(run, experiment) for run, experiment in self._parents()]
        return sorted(infos, key=lambda info: info.updated, reverse=True)

    def table(self, name: str) -> TrialTable:
        """All trials of a sweep, in the order in which they were begun; one paged search, no call per run."""
        parent = self._parent(name)
        where = f"tags.`{schema.PARENT}` = '{parent.info.run_id}'"
        runs: dict[str, list[Run]] = {}
        for run in self._connection().search([parent.info.experiment_id], where):
            if schema.TRIAL in run.data.tags:
                runs.setdefault(run.data.tags[schema.TRIAL], []).append(run)
        # The next launch removes duplicates; until then the reader sees the one that will stay.
        kept = [most_complete(same)[0] if len(same) > 1 else same[0] for same in runs.values()]
        self._artifact_uris.update((run.info.run_id, run.info.artifact_uri) for run in kept)
        tags = parent.data.tags
        return TrialTable(
            sweep=name,
            goals=parse_goals(json.loads(tags[schema.OBJECTIVES])),
            trials=tuple(_trial(run) for run in kept),
            description=tags.get(schema.DESCRIPTION, ""),
            catalogue=self._catalogue(parent),
        )

    def _catalogue(self, parent: Run) -> Catalogue:
        """What the sweep's run says of its metrics; a run of layout 1 says nothing and is not asked."""
        if schema.LAYOUT not in parent.data.tags:
            return built_in()
        return Catalogue.from_json(self.artifact_bytes(parent.info.run_id, schema.CATALOGUE_FILE))

    def document(self, name: str) -> str | None:
        """The sweep file as resolved at its last launch, None where there is none."""
        raw = self.artifact_bytes(self._parent(name).info.run_id, schema.SWEEP_FILE)
        return None if raw is None else raw.decode("utf-8", errors="replace")

    def artifact_bytes(self, run_id: str, name: str) -> bytes | None:
        """Content of a run's artifact, or None if it has no such artifact."""
        if Path(name).name != name:
            raise ValueError(f"an artifact's name must be a plain file name, got '{name}'")
        store = self._connection()
        if run_id not in self._artifact_uris:
            run = store.call(lambda: store.client.get_run(run_id))
            self._artifact_uris[run_id] = run.info.artifact_uri
        repository = store.artifacts(self._artifact_uris[run_id])
        listed = store.call(lambda: repository.list_artifacts())
        if name not in {file.path for file in listed}:
            return None
        with TemporaryDirectory() as folder:
            path = store.call(lambda: repository.download_artifacts(name, folder))  # type: ignore[no-untyped-call]
            return Path(path).read_bytes()

    def artifact_json(self, run_id: str, name: str) -> dict[str, Any] | None:
        """A JSON artifact of a run, or None if it is absent or was cut short when its writer was killed."""
        content = self.artifact_bytes(run_id, name)
        if content is None:
            return None
        try:
            value = json.loads(content)
        except ValueError:
            log.warning("artifact %s of run %s is no JSON; its writer may have been killed", name, run_id)
            return None
        return value if isinstance(value, dict) else None

    def history(self, run_id: str, metric: str) -> list[tuple[int, float]]:
        """(step, value) of every evaluation of a metric, ascending; NaN where it was not finite.

        Of a step that was read again, the newest value counts.
        """
        store = self._connection()
        points = store.call(lambda: store.client.get_metric_history(run_id, metric))
        by_step = {int(p.step): float(p.value) for p in sorted(points, key=lambda p: (p.step, p.timestamp))}
        return sorted(by_step.items())

    def _connection(self) -> Connection:
        if self._open is None:
            file = sqlite_file(self.uri)
            if file is not None:
                check_database(file)  # a connection would make what is not there
            self._open = Connection(self.uri)
        return self._open

    def _parents(self) -> list[tuple[Run, str]]:
        """Parent runs of all sweeps with the name of their experiment."""
        if not self.exists() and sqlite_file(self.uri) == default_database():
            return []
        store = self._connection()
        names = self._experiments(store)
        if not names:
            return []
        runs = store.search(list(names), f"tags.`{schema.KIND}` = 'sweep'")
        return [(run, names[run.info.experiment_id]) for run in runs if schema.SWEEP in run.data.tags]

    def _experiments(self, store: Connection) -> dict[str, str]:
        """Names of the experiments to look into, by id."""
        if self.experiment is not None:
            name = self.experiment
            found = store.call(lambda: store.client.get_experiment_by_name(name))
            return {} if found is None else {found.experiment_id: found.name}
        names: dict[str, str] = {}
        token: str | None = ""
        while token is not None:
            page = store.call(lambda token=token: store.client.search_experiments(page_token=token or None))  # type: ignore[misc]
            names.update((experiment.experiment_id, experiment.name) for experiment in page)
            token = page.token or None
        return names

    def _parent(self, name: str) -> Run:
        """The one parent run of that name."""
        parents = self._parents()
        found = {
            experiment: run for run, experiment in reversed(parents) if run.data.tags[schema.SWEEP] == name
        }
        if not found:
            raise UserError(self._unknown(name, sorted({run.data.tags[schema.SWEEP] for run, _ in parents})))
        if len(found) > 1:
            raise UserError(
                f"sweep '{name}' is in several experiments ({', '.join(sorted(found))}); say which with --experiment"
            )
        return next(iter(found.values()))

    def _unknown(self, name: str, names: list[str]) -> str:
        """One sentence for a sweep that is not there."""
        if not names:
            return f"no sweep '{name}' in {self.uri}, which holds none yet; run `tradeoff sweep` first"
        return (
            f"no sweep '{name}' in {self.uri}{nearest(name, names, otherwise=f'; it holds {listed(names)}')}"
        )


def _info(run: Run, experiment: str) -> SweepInfo:
    tags: Mapping[str, str] = run.data.tags
    # A sweep launched again keeps the end of its former launch until it ends.
    millis = max(run.info.start_time, run.info.end_time or 0)
    return SweepInfo(
        name=tags[schema.SWEEP],
        description=tags.get(schema.DESCRIPTION, ""),
        status=status_of(run),
        trials=int(tags.get(schema.TRIALS, "0")),
        updated=datetime.fromtimestamp(millis / 1000, UTC),
        experiment=experiment,
    )


def _trial(run: Run) -> Trial:
    """A child run as a trial; a last value that is NaN counts as absent."""
    readings: dict[schema.At, dict[str, float]] = {schema.PLAIN: {}}
    metrics = run.data.metrics
    for key, value in sorted(metrics.items(), key=lambda pair: not schema.is_older_key(pair[0])):
        if not math.isnan(value):
            at, name = schema.parse_metric_key(key)
            readings.setdefault(at, {})[name] = value
    tags = run.data.tags
    return Trial(
        id=tags[schema.TRIAL],
        run_id=run.info.run_id,
        status=status_of(run),
        params=_params(run),
        readings=readings,
        reason=tags.get(schema.REASON),
        marks=schema.decode_readings(tags.get(schema.READINGS)),
        stopped=tags.get(schema.STOPPED),
        diverged=tags.get(schema.OUTCOME) == schema.DIVERGED,
        layout=tags.get(schema.LAYOUT, "1"),
    )


def _params(run: Run) -> dict[str, Scalar]:
    """Parameters of a trial, without how a run that layout 1 began was first read: it may be read otherwise today."""
    decoded = {path: schema.decode(text) for path, text in run.data.params.items()}
    if schema.LAYOUT not in run.data.tags:
        return decoded
    return {
        path: v for path, v in decoded.items() if path.partition(".")[0] not in ("refinement", "evaluation")
    }
