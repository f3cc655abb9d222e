"""Tables of others as sweeps of ours: each trial a run, once, whatever its names and identities were."""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from explorer.results.runs import SweepInfo
from explorer.results.table import Trial, TrialTable
from explorer.sources import Source
from explorer.store import schema
from explorer.store.addresses import shown_address
from explorer.store.whole import Point, WholeRun
from explorer.tracking import Intake
from explorer.transfer.arrival import Arrival, taking
from explorer.transfer.portrayal import Portrayal, sum_up
from explorer.words import counted

__all__ = ["fitted", "import_table"]

LONGEST, LONGEST_VALUE = 250, 6000
"""Characters of a name and of a parameter's value that MLflow takes."""
_OURS, _ROW = re.compile(r"[0-9a-f]{12}"), re.compile(r"row [0-9]+")
_RUN_NAME = "mlflow.runName"

Stage = Callable[[str], None]


def import_table(
    table: TrialTable,
    source: Source,
    info: SweepInfo,
    place: tuple[str, str, bool],
    name: str,
    origin: str,
    stage: Stage,
    chosen: bool = False,
) -> Arrival:
    """Write the trials of a table as the sweep ``name``; ``place``: store, experiment, and whether that is any.

    ``chosen``: whether somebody chose its objectives, which then take the place of those of an earlier import.
    """
    uri, experiment, anywhere = place
    names = _Names.of(table)
    updated = round(1000 * info.updated.timestamp())
    parent = _parent(table, source, names, updated)
    portrayal = Portrayal([trial.params for trial in table])
    written = 0
    with taking(uri, experiment, name, origin, parent, stage, anywhere) as intake:
        with TemporaryDirectory(prefix="tradeoff-") as folder:
            (Path(folder) / schema.CATALOGUE_FILE).write_text(table.catalogue.to_json(), encoding="utf-8")
            intake.papers(Path(folder))
        if chosen:
            intake.note({schema.OBJECTIVES: parent.tags[schema.OBJECTIVES]})
        seen = set()
        for number, (trial, identities) in enumerate(_identified(table, source.kind, origin), start=1):
            stage(f"trial {number} of {len(table)}")
            called = _called(trial, source.kind) or portrayal.name(trial.params) or trial.id[:LONGEST]
            note = portrayal.note(called, trial.params)
            run = _run(
                trial, called, note, names, source, updated + number
            )  # where no times are, the order stays
            digest = _digest(run)
            identity = _own(intake, identities, run, digest)
            seen.add(identity)
            if not intake.has(identity, digest):
                intake.take(identity, run, digest)
                written += 1
        gone = len(intake) - len(seen)
        faults = sum_up(intake, uri, experiment, name, stage)
    notes = [*(f"could not be read: {fault}" for fault in table.faults), *names.notes, *faults]
    if gone:
        notes.append(f"no longer there, and kept in the sweep: {counted(gone, 'trial')} of an earlier import")
    return Arrival(name, uri, written, len(table) - written, tuple(notes))


def fitted(names: Iterable[str], plain: bool = False) -> dict[str, str]:
    """Names as MLflow takes them, no two alike: what it refuses is ``_``; ``plain``: none names a reading."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in sorted(set(names), key=lambda name: (_fit(name, plain) != name, name)):
        wanted, number = _fit(name, plain), 2
        told = wanted
        while told in taken:
            told, number = f"{wanted[: LONGEST - 8]}_{number}", number + 1
        taken.add(told)
        found[name] = told
    return found


def _fit(name: str, plain: bool) -> str:
    path = posixpath.normpath("/" + re.sub(r"[^/\w.\- :]", "_", name)).strip("/")[:LONGEST].strip("/") or "_"
    if plain and schema.parse_metric_key(path) != (schema.PLAIN, path):
        return path.replace("/", ".")
    return path


@dataclass(frozen=True)
class _Names:
    """What parameters, and metrics of the model as it is, are called in the store."""

    params: Mapping[str, str]
    metrics: Mapping[str, str]

    @staticmethod
    def of(table: TrialTable) -> _Names:
        params = {path for trial in table for path in trial.params}
        metrics = {name for trial in table for name in trial.metrics} | {goal.metric for goal in table.goals}
        return _Names(fitted(params), fitted(metrics, plain=True))

    @property
    def notes(self) -> Iterator[str]:
        """What is called otherwise."""
        for before, now in (*self.params.items(), *self.metrics.items()):
            if before != now:
                yield f"'{before}' is called '{now}' here"


def _parent(table: TrialTable, source: Source, names: _Names, updated: int) -> WholeRun:
    """The sweep's own run: objectives, where it came from, from the first time to the last."""
    objectives = {names.metrics[goal.metric]: goal.direction for goal in table.goals}
    told = table.description or f"Imported from {shown_address(source.address)}, {table.sweep}."
    started = min((trial.started for trial in table if trial.started), default=updated)
    ended = max((trial.ended for trial in table), default=0)
    return WholeRun(
        table.sweep, "finished", started, max(ended, started), schema.parent_tags(objectives, told)
    )


def _identified(table: TrialTable, kind: str, origin: str) -> Iterator[tuple[Trial, Iterable[str]]]:
    """Trials with the identities that they may have here: ours stay; others hash where they come from, and what they
    are called there, since a trial that runs may be told more parameters later.

    A row of a table without names is what its parameters are, so that rows may come between others later.
    """
    rows: Counter[str] = Counter()
    for trial in table:
        if kind == "csv" and _OURS.fullmatch(trial.id):
            yield trial, [trial.id]
        elif kind == "csv" and _ROW.fullmatch(trial.id):
            params = json.dumps(sorted(trial.params.items()), default=str)
            rows[params] += 1
            yield trial, [_hash(origin, f"row {rows[params]}", params)]
        else:
            yield trial, (_hash(origin, trial.run_id, str(time)) for time in count(1))


def _own(intake: Intake, identities: Iterable[str], run: WholeRun, digest: str) -> str:
    """The first identity of a trial that is free, or whose parameters are among its own.

    What is called so with other values is another trial, of a study that was begun anew or a row that was changed.
    """
    identity = ""
    for identity in identities:
        if intake.has(identity, digest) or not intake.contradicts(identity, run.params):
            break
    return identity


def _hash(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode(errors="replace")).hexdigest()[:12]


def _called(trial: Trial, kind: str) -> str:
    """The name that somebody gave a trial: a table's rows may have one; elsewhere they are numbered, or hashes."""
    is_name = kind == "csv" and not _OURS.fullmatch(trial.id) and not _ROW.fullmatch(trial.id)
    return trial.id[:LONGEST] if is_name else ""


def _run(trial: Trial, called: str, note: str, names: _Names, source: Source, updated: int) -> WholeRun:
    tags = {
        schema.LAYOUT: schema.LAYOUT_NOW,
        schema.SOURCE: _source(source.kind, trial),
        _RUN_NAME: called,
        schema.NOTE: note,
    }
    if trial.reason is not None:
        tags[schema.REASON] = trial.reason[-schema.TAG_LIMIT :]
    moment = trial.ended or trial.started or updated
    histories: dict[str, Sequence[Point]] = {}
    known = source.points(trial.run_id, list(trial.metrics))
    for name, value in trial.metrics.items():
        points = [point if point.time else point._replace(time=moment) for point in known.get(name, ())]
        if not points or points[-1].value != value:  # of a step that was told twice, the last value counts
            step = points[-1].step if points else 0
            points = [*points[:-1], Point(step, moment, value)]
        histories[names.metrics[name]] = tuple(points)
    for at, metrics in trial.readings.items():
        if at != schema.PLAIN:
            keys = fitted(metrics)
            histories |= {
                schema.metric_key(at, keys[name]): (Point(0, moment, value),)
                for name, value in metrics.items()
            }
    params = {
        names.params[path]: schema.encode(value)[:LONGEST_VALUE] for path, value in trial.params.items()
    }
    return WholeRun(called, trial.status, trial.started or moment, trial.ended, tags, params, histories)


def _source(kind: str, trial: Trial) -> str:
    """Where a trial was made, and what it is called there; a row without a name may be another one tomorrow."""
    is_row = kind == "csv" and _ROW.fullmatch(trial.id)
    return json.dumps({"kind": kind, **({} if is_row else {"trial": trial.run_id[:LONGEST]})})


def _digest(run: WholeRun) -> str:
    """What is told of a trial, without times and what others beside it make of its name: a file that is touched, or
    has a row more, tells nothing new of it."""
    tags = {key: value for key, value in run.tags.items() if key not in (_RUN_NAME, schema.NOTE)}
    points = {
        key: [(point.step, repr(point.value)) for point in points] for key, points in run.histories.items()
    }
    whole = [run.status, tags, dict(run.params), points]
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:32]
