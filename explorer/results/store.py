"""The only reader of MLflow: sweeps, tables of trials, artifacts and histories."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from explorer.errors import UserError, brief, root_cause
from explorer.folders import default_database
from explorer.goals import USUAL_GOALS, Goal, parse_goals
from explorer.results.cache import Memory
from explorer.results.cache.shelf import Shelf
from explorer.results.catalogue import Catalogue, built_in
from explorer.results.increments import news
from explorer.results.known import Known, gathered, known_of
from explorer.results.place import Place
from explorer.results.runs import (
    SweepInfo,
    description_of,
    goals_of,
    identity_of,
    info_of,
    sweep_of,
    trial_of,
)
from explorer.results.swift import FileRows, looked_at, swift_parents
from explorer.results.table import Trial, TrialTable
from explorer.store import schema, swift
from explorer.store.addresses import shown_address, sqlite_file
from explorer.store.connection import Connection
from explorer.store.database import check_there, tag_values
from explorer.store.foreign import as_text, clean, decoded
from explorer.store.lean import lean_runs
from explorer.store.pages import Pages
from explorer.store.postgres import is_postgres, opened_server
from explorer.store.pulse import outside
from explorer.store.runs import StoredRun
from explorer.store.swift import Odd
from trainables.nearest import listed, nearest

__all__ = ["ResultStore", "SweepInfo"]

log = logging.getLogger(__name__)


class ResultStore(Place):
    """Reads sweeps back from MLflow.

    Args:
        uri: ``sqlite:///FILE``, ``http(s)://HOST`` or another database address.
        experiment: name of the one experiment to look into; all of them if None.
        patience: seconds after which a server that does not answer is told; a minute or so if None.
        fresh: what was read before, and is kept on this machine, does not count.
    """

    def __init__(
        self, uri: str, experiment: str | None = None, patience: float | None = None, fresh: bool = False
    ) -> None:
        super().__init__(uri, patience)
        self.experiment = experiment
        self.fresh = fresh

    def sweeps(self) -> list[SweepInfo]:
        """All sweeps, newest first; none while the default store is not made yet."""
        unread: list[str] = []
        infos = [info_of(run, experiment) for run, experiment in self._parents(unread)]
        if unread:
            log.warning("a sweep of this store cannot be read: %s", brief(", ".join(unread), 180))
        return sorted(infos, key=lambda info: info.updated, reverse=True)

    def info(self, name: str, experiment_id: str | None = None) -> SweepInfo:
        """The one sweep of that name; ``experiment_id`` as for ``table``."""
        parent = self._parent(name, experiment_id)
        return next(
            info for info in self.sweeps() if (info.name, info.experiment_id) == (name, parent.experiment_id)
        )

    def table(self, name: str, experiment_id: str | None = None, known: Memory | None = None) -> TrialTable:
        """All trials of a sweep, in the order in which they were begun.

        What was read before is kept on this machine, and only what changed since is read. From a SQLite file or a
        PostgreSQL database straight, as long as all in it is as MLflow writes it; else through MLflow's search.
        ``experiment_id`` says which sweep of that name is meant, as ``SweepInfo`` has it. ``known``: what an earlier
        look remembers.
        """
        parent = self._parent(name, experiment_id)
        memory = Memory(fresh=self.fresh) if known is None else known
        memory.begin(Shelf(self.uri, parent.experiment_id, parent.run_id))
        runs, unread = self._runs(parent, memory)
        trials, faults = gathered(runs)
        faults = unread + faults
        goals = goals_of(parent)
        if goals is None:
            goals = parse_goals(USUAL_GOALS)
            faults.append(f"its objectives, for which {', '.join(USUAL_GOALS)} are taken")
        return TrialTable(
            sweep=name,
            goals=goals,
            trials=tuple(trials),
            description=description_of(parent),
            catalogue=self._catalogue(parent, faults),
            faults=tuple(faults),
        )

    def glimpse(self, info: SweepInfo, most: int) -> tuple[tuple[Goal, ...], list[Trial]]:
        """What a sweep strives for, and its first trials, which a server tells by one request."""
        parent = self._parent(info.name, info.experiment_id)
        children = self.connection().search([parent.experiment_id], {schema.PARENT: parent.run_id}, [])
        goals = goals_of(parent) or parse_goals(USUAL_GOALS)
        return goals, [trial_of(run) for run in islice(children, most) if identity_of(run)]

    def _runs(self, parent: StoredRun, memory: Memory) -> tuple[list[Known], list[str]]:
        """The runs of a sweep, and what could not be read: of what is in ``memory`` only what changed is read."""
        unread: list[str] = []
        if self._learn(parent, memory):
            found = list(memory.known.values())
        else:
            memory.forget()
            runs = self.connection().search([parent.experiment_id], {schema.PARENT: parent.run_id}, unread)
            found = [known_of(run) for run in runs]
        self._artifact_uris |= {one.trial.run_id: one.artifact_uri for one in found}
        return found, unread

    def _learn(self, parent: StoredRun, memory: Memory) -> bool:
        """Bring what is remembered up to date; whether that could be done, where only MLflow may read not."""
        try:
            if (file := sqlite_file(self.uri)) is not None:
                self._look_into(file, parent, memory)
            elif is_postgres(self.uri):
                self._ask_database(parent, memory)
            else:
                pages = Pages(self.connection(), parent.experiment_id, {schema.PARENT: parent.run_id})
                memory.learn(*news(pages, parent, memory.known, memory.seen))
        except Odd:
            return False
        return True

    def _look_into(self, file: Path, parent: StoredRun, memory: Memory) -> None:
        """A file that is as it was is not opened."""
        now = outside(file)
        if now is None or now != memory.outside:
            with swift.sound(file) as link:
                found = looked_at(FileRows(link), parent.experiment_id, parent.run_id, memory.known)
            memory.learn(found, outside=now)

    def _ask_database(self, parent: StoredRun, memory: Memory) -> None:
        """A database in which nobody has written is not asked for its runs."""
        with opened_server(self.uri) as rows:
            now = rows.moment()
            if now != memory.outside:
                found = looked_at(rows, parent.experiment_id, parent.run_id, memory.known)
                memory.learn(found, outside=now)

    def _catalogue(self, parent: StoredRun, faults: list[str]) -> Catalogue:
        """What the sweep's run says of its metrics; a run of layout 1 says nothing and is not asked."""
        if schema.LAYOUT not in parent.tags:
            return built_in()
        found = Catalogue.from_json(self.artifact_bytes(parent.run_id, schema.CATALOGUE_FILE))
        if found is None:
            faults.append(f"its {schema.CATALOGUE_FILE}, for which this version's is taken")
        return found or built_in()

    def runs(self, kind: str, tags: Sequence[str]) -> list[StoredRun]:
        """All living runs of a kind, ``sweep`` or ``trial``, with their tags, oldest first.

        From a SQLite store with these ``tags`` alone and without MLflow; from others with all that they have.
        """
        file = sqlite_file(self.uri)
        if file is not None:
            try:
                if not self.exists() and file == default_database():
                    return []
                check_there(file)
                return lean_runs(file, self.experiment, (schema.KIND, kind), tags)
            except (sqlite3.Error, UnicodeDecodeError) as error:
                raise UserError(
                    f"tracking store '{shown_address(self.uri)}' cannot be read ({root_cause(error)}); restore it from "
                    "a copy"
                ) from error
        store = self.connection()
        return list(store.search(list(self._experiments(store)), {schema.KIND: kind}, []))

    def document(self, name: str, experiment_id: str | None = None) -> str | None:
        """The sweep file as resolved at its last launch, None if there is none; ``experiment_id`` as for ``table``."""
        raw = self.artifact_bytes(self._parent(name, experiment_id).run_id, schema.SWEEP_FILE)
        return None if raw is None else clean(decoded(raw))

    def parent(self, name: str, experiment_id: str | None = None) -> StoredRun:
        """The sweep's own run; ``experiment_id`` as for ``table``."""
        return self._parent(name, experiment_id)

    def parents(self) -> list[tuple[StoredRun, str]]:
        """The runs of all sweeps that can be read, each with the name of its experiment."""
        return self._parents([])

    def experiments(self) -> dict[str, str]:
        """Names of the living experiments to look into, by id."""
        return self._experiments(self.connection())

    def experiment_name(self, experiment_id: str) -> str:
        """What an experiment of the store is called."""
        store = self.connection()
        found = store.read(lambda: store.client.get_experiment(experiment_id), f"experiment {experiment_id}")
        return as_text(found.name)

    def _parents(self, unread: list[str]) -> list[tuple[StoredRun, str]]:
        """Parent runs of all sweeps with the name of their experiment; those that cannot be read are ``unread``."""
        if not self.exists() and sqlite_file(self.uri) == default_database():
            return []
        found = self._swift_parents()
        if found is not None:
            return self._noted([(run, name) for run, name in found if sweep_of(run)])
        store = self.connection()
        names = self._experiments(store)
        if not any(names):  # an id is empty where nobody told it
            store.refuse_mute()
            return []
        runs = store.search(list(names), {schema.KIND: "sweep"}, unread)
        parents = [(run, names[run.experiment_id]) for run in runs if sweep_of(run)]
        return self._noted(parents)

    def _swift_parents(self) -> list[tuple[StoredRun, str]] | None:
        """The same as a database itself tells it; None where only MLflow may."""
        if not is_postgres(self.uri):
            return self.swiftly(lambda link: swift_parents(link, self.experiment))
        try:
            with opened_server(self.uri) as rows:
                return rows.parents((schema.KIND, "sweep"), self.experiment)
        except Odd:
            return None

    def _noted(self, parents: list[tuple[StoredRun, str]]) -> list[tuple[StoredRun, str]]:
        self._artifact_uris |= {run.run_id: run.artifact_uri for run, _ in parents}
        return parents

    def _experiments(self, store: Connection) -> dict[str, str]:
        """Names of the experiments to look into, by id."""
        if self.experiment is not None:
            name = self.experiment
            found = store.read(lambda: store.client.get_experiment_by_name(name))
            return {} if found is None else {found.experiment_id: as_text(found.name)}
        names: dict[str, str] = {}
        token: str | None = ""
        while token is not None:
            page = store.read(lambda token=token: store.client.search_experiments(page_token=token or None))  # type: ignore[misc]
            names.update((experiment.experiment_id, as_text(experiment.name)) for experiment in page)
            token = page.token or None
        return names

    def _parent(self, name: str, experiment_id: str | None = None) -> StoredRun:
        """The one parent run of that name, the oldest of its experiment."""
        self._refuse_unknown(name)
        unread: list[str] = []
        parents = self._parents(unread)
        places = {run.experiment_id: clean(experiment) for run, experiment in parents}
        found = {
            run.experiment_id: run
            for run, _ in reversed(parents)
            if sweep_of(run) == name and experiment_id in (None, run.experiment_id)
        }
        if not found and unread:
            raise UserError(
                f"sweep '{brief(name)}' must have a run that can be read, and {brief(unread[0], 130)} cannot be; mend "
                "or remove it with MLflow"
            )
        if not found:
            raise UserError(self._unknown(name, sorted({sweep_of(run) for run, _ in parents})))
        if len(found) > 1:
            told = brief(", ".join(sorted(places[place] for place in found)), 90)
            raise UserError(
                f"sweep '{brief(name)}' is in several experiments ({told}); say which with --experiment"
            )
        return next(iter(found.values()))

    def _refuse_unknown(self, name: str) -> None:
        """A name that a SQLite store with sweeps has not is refused before MLflow is loaded."""
        file = sqlite_file(self.uri)
        if self._open is not None or file is None or not file.is_file():
            return
        names = {
            clean(value) for value in tag_values(file, schema.SWEEP, (schema.KIND, "sweep"), self.experiment)
        }
        if names and name not in names:
            raise UserError(self._unknown(name, sorted(names)))

    def _unknown(self, name: str, names: list[str]) -> str:
        """One sentence for a sweep that is not there."""
        if not names:
            return f"no sweep '{name}' in {shown_address(self.uri)}, which holds none yet; run `tradeoff sweep` first"
        return (
            f"no sweep '{name}' in {shown_address(self.uri)}"
            f"{nearest(name, names, otherwise=f'; it holds {listed(names)}')}"
        )
