"""Runs by what people call them: a run's id or name, a trial's identity, how one of these begins, ``SWEEP/TRIAL``."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from explorer.errors import UserError, brief
from explorer.results.runs import identity_of, sweep_of
from explorer.results.store import ResultStore
from explorer.store import schema, swift
from explorer.store.addresses import shown_address
from explorer.store.foreign import clean
from explorer.store.runs import StoredRun

__all__ = ["Found", "find_run"]

LEAST = 4
"""Characters of an id or identity that are looked for; fewer begin too many."""
MOST = 50
"""Runs that a server is asked for at once: of more nobody wants to choose."""
LISTED = 4
"""Of these, those that a refusal names."""
_PLAIN = re.compile(r"[\w.-]+")
"""Of what identities are made; what else a word has could mean something to a filter."""


@dataclass(frozen=True)
class Found:
    """A living run, with what it may be called by.

    Attributes:
        sweep, trial: of a run of ours; empty of others'.
        parent: run of the sweep, or of what else a run of others is nested in; empty where there is none.
        kind: ``trial``, ``sweep``, or nothing of a run of others.
    """

    run_id: str
    experiment_id: str
    name: str
    sweep: str
    trial: str
    parent: str
    kind: str

    @property
    def place(self) -> str:
        """What names it surely, for people."""
        return f"{self.sweep}/{self.trial}" if self.kind == "trial" and self.sweep else self.run_id


def find_run(store: ResultStore, word: str) -> Found:
    """The one trial's run that ``word`` names; refuses none and several. A whole name counts more than a beginning.

    O(runs) rows of a SQLite file, some milliseconds for ten thousand; of a server at most five requests.
    """
    told = word.strip()
    if not told or not told.isprintable():
        raise UserError(
            f"a run is named by its id, its trial, SWEEP/TRIAL or its name in MLflow, got '{brief(word)}'"
        )
    there = list(_candidates(store, told))
    for same in (_named, _begun):
        found = [run for run in there if run.kind != "sweep" and same(run, told)]
        if len(found) == 1:
            return found[0]
        if found:
            places = ", ".join(sorted(run.place for run in found)[:LISTED])
            more = ", …" if len(found) > LISTED else ""
            raise UserError(
                f"a run must be named so that one answers, and {len(found)} are called '{brief(told)}' ({places}"
                f"{more}); give one of these, or the run's id"
            )
    if any(run.kind == "sweep" and (_named(run, told) or _begun(run, told)) for run in there):
        raise UserError(
            f"'{brief(told)}' is a sweep, and trials are compared: name one as {brief(told, 30)}/TRIAL; "
            f"`tradeoff front {brief(told, 30)}` lists them"
        )
    raise UserError(
        f"no run is called '{brief(told)}' in {shown_address(store.uri)}; give a trial (`tradeoff front SWEEP` "
        "lists those), SWEEP/TRIAL, or a run's id or name as MLflow shows it"
    )


def _named(run: Found, word: str) -> bool:
    """Whether this is one of its whole names."""
    return word in (run.run_id, run.trial, run.name, f"{run.sweep}/{run.trial}", f"{run.sweep}/{run.name}")


def _begun(run: Found, word: str) -> bool:
    """Whether one of its identities begins so."""
    sweep, slash, trial = word.rpartition("/")
    if slash:
        return run.sweep == sweep and bool(trial) and run.trial.startswith(trial)
    return len(word) >= LEAST and (run.run_id.startswith(word) or run.trial.startswith(word))


def _candidates(store: ResultStore, word: str) -> Iterable[Found]:
    """All runs that may be meant, and perhaps more."""
    if not store.exists():
        store.connection()  # which says what is wrong
    found = store.swiftly(lambda link: list(_in_file(link, word, store.experiment)))
    return _asked(store, word) if found is None else found


def _in_file(link: sqlite3.Connection, word: str, experiment: str | None) -> Iterator[Found]:
    """The runs of a SQLite store that have the word in one of their names."""
    query = """
        SELECT run_uuid FROM runs WHERE substr(run_uuid, 1, length(?1)) = ?1 OR name IN (?1, ?2)
        UNION SELECT run_uuid FROM tags WHERE key = ?3 AND ?2 <> '' AND substr(value, 1, length(?2)) = ?2
        UNION SELECT named.run_uuid FROM tags AS named JOIN tags AS kind USING (run_uuid)
        WHERE named.key = ?4 AND named.value = ?1 AND kind.key = ?5 AND kind.value = 'sweep'
    """
    asked = (word, word.rpartition("/")[2], schema.TRIAL, schema.SWEEP, schema.KIND)
    ids = {run for (run,) in link.execute(query, asked)}
    places = swift.experiments(link)
    rows = [
        row
        for row in (swift.living(link, None) if ids else ())
        if row.run_id in ids and experiment in (None, places.get(str(row.experiment_id)))
    ]
    names = {row.run_id: row.name for row in rows}
    for run in swift.runs_of(link, rows, whole=False):
        yield _found(run, names[run.run_id])


def _asked(store: ResultStore, word: str) -> Iterator[Found]:
    """The same of any store, through MLflow."""
    link, experiments = store.connection(), [*store.experiments()]
    trial = word.rpartition("/")[2]
    asked = [
        _filter("attributes.run_name", "=", word),
        _filter(f"tags.`{schema.TRIAL}`", "LIKE", f"{trial}%") if _PLAIN.fullmatch(trial) else None,
        _filter("attributes.run_name", "=", trial) if trial != word else None,
        _filter("attributes.run_id", "LIKE", f"{word}%") if _PLAIN.fullmatch(word) else None,
        _filter(f"tags.`{schema.SWEEP}`", "=", word, f" and tags.`{schema.KIND}` = 'sweep'"),
    ]
    seen: set[str] = set()
    for where in dict.fromkeys(asked):
        if where is None or not experiments:
            continue
        page = link.read(
            lambda where=where: link.client.search_runs(experiments, where, max_results=MOST)  # type: ignore[misc]
        )
        for run in page:
            if run.info.run_id not in seen:
                seen.add(run.info.run_id)
                tags = {key: str(value) for key, value in run.data.tags.items()}
                yield Found(
                    run.info.run_id,
                    run.info.experiment_id,
                    clean(str(run.info.run_name or "")),
                    clean(tags.get(schema.SWEEP, "")),
                    clean(tags.get(schema.TRIAL, "")),
                    tags.get(schema.PARENT, ""),
                    tags.get(schema.KIND, ""),
                )


def _filter(what: str, how: str, value: str, more: str = "") -> str | None:
    """A filter of MLflow's, which knows no escape for quotes: a text with both kinds cannot be asked for."""
    mark = next((mark for mark in "'\"" if mark not in value), None)
    return None if mark is None else f"{what} {how} {mark}{value}{mark}{more}"


def _found(run: StoredRun, name: str) -> Found:
    return Found(
        run.run_id,
        run.experiment_id,
        clean(name),
        sweep_of(run),
        identity_of(run),
        run.tags.get(schema.PARENT, ""),
        run.tags.get(schema.KIND, ""),
    )
