"""Runs that lost their sweep, that say what another says, or that nobody drives any more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from explorer.doctor.finding import Finding, Subject
from explorer.errors import UserError
from explorer.launch.lock import sweep_lock
from explorer.results.runs import identity_of, sweep_of
from explorer.results.store import ResultStore
from explorer.store import schema
from explorer.store.holders import Holder
from explorer.store.runs import StoredRun, most_complete
from explorer.tracking import Lease
from explorer.tracking.repairs import Repairs
from explorer.words import counted

__all__ = ["Inventory", "check_runs", "take_inventory"]

_TAGS = (schema.KIND, schema.SWEEP, schema.TRIAL, schema.PARENT, schema.LEASE)


@dataclass(frozen=True)
class Inventory:
    """The runs of a store: those of sweeps, and those of trials by the run of their sweep."""

    parents: tuple[StoredRun, ...]
    trials: dict[str, list[StoredRun]]


def take_inventory(subject: Subject) -> Inventory:
    """All runs of ours. O(runs)."""
    store = ResultStore(subject.uri, subject.experiment)
    parents = tuple(store.runs("sweep", _TAGS))
    trials: dict[str, list[StoredRun]] = {}
    for run in store.runs("trial", _TAGS):
        trials.setdefault(run.tags.get(schema.PARENT, ""), []).append(run)
    return Inventory(parents, trials)


def check_runs(subject: Subject, runs: Inventory) -> Iterator[Finding]:
    """Orphans, duplicates and stuck ones; of one sweep, if one is named. O(runs)."""
    found = [*_orphans(subject, runs)]
    asked = [one for one in runs.parents if subject.sweep in (None, sweep_of(one))]
    for parent in asked:
        found += _duplicates(subject, parent, runs.trials.get(parent.run_id, []))
        found += _stuck(subject, parent, runs.trials.get(parent.run_id, []))
    yield from found
    if not any(finding.state == "problem" for finding in found):
        count = sum(len(runs.trials.get(parent.run_id, ())) for parent in asked)
        yield Finding(
            "runs", "ok", f"{counted(count, 'trial')} of {counted(len(asked), 'sweep')}, each in its place"
        )


def _orphans(subject: Subject, runs: Inventory) -> Iterator[Finding]:
    """Trials whose sweep's run is not there, or in the trash."""
    known = {parent.run_id for parent in runs.parents}
    lost: dict[tuple[str, str], list[StoredRun]] = {}
    for place, trials in runs.trials.items():
        for run in trials if place not in known else ():
            if subject.sweep in (None, sweep_of(run)):
                lost.setdefault((sweep_of(run), run.experiment_id), []).append(run)
    for (sweep, experiment), orphans in lost.items():
        there = [p for p in runs.parents if sweep_of(p) == sweep and p.experiment_id == experiment]
        told = f"{counted(len(orphans), 'trial')} of sweep '{sweep}' without the sweep's own run"
        if there:
            yield Finding(
                "orphans", "problem", told, "--fix puts them under the run that the sweep has now",
                lambda orphans=orphans, home=there[0]: _adopt(subject, orphans, home),  # type: ignore[misc]
            )  # fmt: skip
            continue
        unfinished = [run for run in orphans if run.status != "finished"]
        yield Finding(
            "orphans", "problem", told,
            f"restore it with `mlflow runs restore --run-id {orphans[0].tags.get(schema.PARENT, 'ID')}`"
            + ("; --fix moves the unfinished ones to MLflow's trash" if unfinished else ""),
            (lambda unfinished=unfinished: _trash(subject, unfinished)) if unfinished else None,  # type: ignore[misc]
        )  # fmt: skip


def _duplicates(subject: Subject, parent: StoredRun, trials: Sequence[StoredRun]) -> Iterator[Finding]:
    """Several runs of one trial."""
    by_trial: dict[str, list[StoredRun]] = {}
    for run in trials:
        by_trial.setdefault(identity_of(run), []).append(run)
    twice = {trial: same for trial, same in by_trial.items() if len(same) > 1}
    if twice:
        yield Finding(
            "duplicates", "problem",
            f"{counted(len(twice), 'trial')} of sweep '{sweep_of(parent)}' with several runs, e.g. {next(iter(twice))}",
            "--fix keeps the most complete run of each and moves the others to MLflow's trash; so does the next launch",
            lambda: _trash_repeated(subject, parent, list(twice.values())),
        )  # fmt: skip


def _stuck(subject: Subject, parent: StoredRun, trials: Sequence[StoredRun]) -> Iterator[Finding]:
    """Runs marked RUNNING though nobody drives their sweep."""
    running = [run for run in (parent, *trials) if run.status == "running"]
    sweep, holder = sweep_of(parent), Holder.parse(parent.tags.get(schema.LEASE))
    if not running:
        return
    told = f"{counted(len(running), 'run')} of sweep '{sweep}' marked RUNNING"
    if holder is not None and holder.is_near and not holder.is_dead:
        yield Finding("sweeps", "ok", f"sweep '{sweep}' runs {holder.words()}")
    elif holder is not None and not holder.is_near:
        yield Finding(
            "sweeps", "note", f"sweep '{sweep}' runs {holder.words()}, or did",
            "running it again tells within a minute; so does --fix, which then marks what is left as KILLED",
            lambda: _end(subject, parent),
        )  # fmt: skip
    elif _is_locked(sweep):
        yield Finding("sweeps", "ok", f"sweep '{sweep}' runs on this machine")
    else:
        yield Finding(
            "sweeps", "problem", f"{told}, and nobody drives it",
            "run it again to go on with it; --fix marks them as KILLED, which loses nothing",
            lambda: _end(subject, parent),
        )  # fmt: skip


def _is_locked(sweep: str) -> bool:
    """Whether a driver of this data folder holds the sweep."""
    try:
        with sweep_lock(sweep):
            return False
    except UserError:
        return True


def _adopt(subject: Subject, orphans: Sequence[StoredRun], parent: StoredRun) -> str:
    repairs = Repairs(subject.uri)
    for run in orphans:
        repairs.adopt(run.run_id, parent.run_id)
    return f"{counted(len(orphans), 'trial')} put under run {parent.run_id}"


def _trash(subject: Subject, runs: Sequence[StoredRun]) -> str:
    repairs = Repairs(subject.uri)
    for run in runs:
        repairs.trash(run.run_id)
    return f"{counted(len(runs), 'run')} moved to MLflow's trash"


def _trash_repeated(subject: Subject, parent: StoredRun, groups: Sequence[Sequence[StoredRun]]) -> str:
    """Which of them is the most complete is asked once more: what was found may have gone on since."""
    with Lease(subject.uri, "", sweep_of(parent), subject.tell) as lease:
        lease.take(parent.run_id)
        store = ResultStore(subject.uri, subject.experiment)
        whole = [[store.whole_run(run.run_id) for run in same] for same in groups]
        return _trash(subject, [run for same in whole for run in most_complete(same)[1:]])


def _end(subject: Subject, parent: StoredRun) -> str:
    """Marked while the sweep is held: a driver that came meanwhile refuses us, and keeps its runs."""
    with Lease(subject.uri, "", sweep_of(parent), subject.tell) as lease:
        lease.take(parent.run_id)
        now, repairs = take_inventory(subject), Repairs(subject.uri)
        of_sweep = [run for run in now.parents if run.run_id == parent.run_id]
        running = [run for run in of_sweep + now.trials.get(parent.run_id, []) if run.status == "running"]
        for run in running:
            repairs.end(run.run_id, "killed")
    return f"{counted(len(running), 'run')} of sweep '{sweep_of(parent)}' marked KILLED"
