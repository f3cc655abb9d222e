"""What the tracking store knows of a sweep's trials before a launch: what was trained and read earlier."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from explorer.errors import UserError
from explorer.launch.older_layout import find_again, from_param
from explorer.launch.outcomes import Settled
from explorer.launch.papers import papers
from explorer.launch.places import tracking_uri
from explorer.results.lean import lean_sweep
from explorer.results.store import ResultStore
from explorer.results.table import Scalar, Trial
from explorer.store.schema import DIVERGED, LAYOUT_NOW, At, parent_tags
from explorer.sweep.members import build_member
from explorer.sweep.sections import own_fields
from explorer.sweep.sweep import Sweep
from trainables.config import fingerprint
from trainables.datasets import DATASETS, Dataset

__all__ = ["Earlier", "earlier_trials", "stopper_mark", "wanted_marks"]

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Earlier:
    """Earlier trials of a sweep.

    Attributes:
        settled: trials that are over and read as the sweep asks.
        finished: trials that were read for good before, whether or not as the sweep asks.
        stops: iterations at which the sweep's own stopper ended trials.
        renamed: identities of runs of layout 1 by what they are now.
        marks: readings that the renamed runs have, by their identity of today.
        lost: runs of layout 1 that no config of today describes; they stay in the table as they are.
        present: identities that the sweep's table holds, as of today.
        closed: the sweep's run is known to have ended and to say what the sweep file does: a launch without work would
            leave it as it is.
    """

    settled: Mapping[str, Settled] = field(default_factory=dict)
    finished: frozenset[str] = frozenset()
    stops: Mapping[str, int] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    marks: Mapping[str, Mapping[At, str]] = field(default_factory=dict)
    lost: tuple[str, ...] = ()
    present: frozenset[str] = frozenset()
    closed: bool = False


def wanted_marks(sweep: Sweep, dataset: Dataset | None = None) -> dict[At, str]:
    """The readings that trials of a dataset should have, each with the fingerprint of what it depends on.

    ``dataset``: where it is not told, the one that the sweep file names.
    """
    told = dataset or build_member(DATASETS, own_fields(sweep.sections).get("dataset", {}), "dataset")
    return {At(*key): mark for key, mark in sweep.plan.of(told).readings().items()}


def _dataset_of(trial: Trial) -> Dataset | None:
    """The dataset that a run's parameters tell of; None if they tell of none that there is."""
    section = {
        path.partition(".")[2]: from_param(value)
        for path, value in trial.params.items()
        if path.startswith("dataset.")
    }
    try:
        known = section.get("name") in DATASETS.loaded()  # nothing that is read back imports others
        return build_member(DATASETS, section, "dataset") if known else None
    except (UserError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None  # params of others


def stopper_mark(sweep: Sweep) -> str:
    """The fingerprint of the sweep's stopper."""
    return fingerprint([sweep.stopping.signature(), dict(sweep.search.objectives)])


def earlier_trials(sweep: Sweep) -> Earlier:
    """Trials of the sweep as the tracking store knows them.

    O(trials): from a SQLite store some rows of each, without MLflow; from a server all that it has of them, in pages of
    a thousand.
    """
    # All that searches and stoppers hear of a trial that is over.
    told = {goal.metric for goal in sweep.search.goals()} | {bound.metric for bound in sweep.search.bounds()}
    lean = lean_sweep(tracking_uri(sweep), sweep.tracking.experiment, sweep.name, told)
    trials = _whole_table(sweep) if lean is None else lean.trials
    if trials is None:
        return Earlier()
    stopper = stopper_mark(sweep)
    wanted: dict[tuple[tuple[str, Scalar], ...], dict[At, str]] = {}
    settled: dict[str, Settled] = {}
    finished: set[str] = set()
    stops: dict[str, int] = {}
    renamed: dict[str, str] = {}
    kept: dict[str, Mapping[At, str]] = {}
    lost: list[str] = []
    today = {trial.id for trial in trials if trial.layout == LAYOUT_NOW}
    for trial in trials:
        identity, marks = trial.id, trial.marks
        if trial.layout != LAYOUT_NOW:
            found = find_again(trial)
            if found is None or found.id in renamed or found.id in today:
                lost.append(trial.id)
                continue
            renamed[found.id] = trial.id
            identity, marks = found.id, found.marks
            kept[identity] = marks
        if trial.status == "finished":
            finished.add(identity)
        stop = trial.stopped
        if stop is not None and stop.by == stopper:
            stops[identity] = stop.iteration
        dataset = tuple((path, value) for path, value in trial.params.items() if path.startswith("dataset."))
        if dataset not in wanted:
            wanted[dataset] = wanted_marks(sweep, _dataset_of(trial))
        over = _over(trial, marks, wanted[dataset], ended=stop is None or identity in stops)
        if over is not None:
            settled[identity] = over
    closed = lean is not None and lean.is_closed(
        parent_tags(sweep.search.objectives, sweep.description), papers(sweep)
    )
    present = frozenset(today | set(renamed))
    return Earlier(settled, frozenset(finished), stops, renamed, kept, tuple(lost), present, closed)


def _whole_table(sweep: Sweep) -> Sequence[Trial] | None:
    """All that the store has of the sweep's trials; None if it does not know the sweep."""
    store = ResultStore(tracking_uri(sweep), sweep.tracking.experiment, fresh=True)
    if not store.exists() or sweep.name not in {info.name for info in store.sweeps()}:
        return None
    table = store.table(sweep.name)
    if table.complaint:
        log.warning("%s", table.complaint)
    return table.trials


def _over(trial: Trial, marks: Mapping[At, str], wanted: Mapping[At, str], ended: bool) -> Settled | None:
    """The trial's outcome, if nothing of it is left to train or to read."""
    if trial.status == "finished" and ended and all(marks.get(at) == mark for at, mark in wanted.items()):
        return Settled(trial.metrics)
    if trial.status == "failed" and trial.outcome == DIVERGED:
        return Settled({}, trial.reason)
    return None
