"""What a sweep's own run says of the whole: its front in numbers, in a picture and in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median

import numpy as np

from explorer.goals import minimised
from explorer.mlflow_pages import run_page, shared_comparison
from explorer.pareto.ranking import Ranking, rank, reference_point
from explorer.portrait.descriptions import artifact_link, described_sweep
from explorer.portrait.front_picture import Axis, Cloud, front_picture
from explorer.portrait.names import searchable
from explorer.results.audit import LambdaAudit, audit_lambda
from explorer.results.lambda_columns import lambda_of
from explorer.results.naming import Naming, cut, number
from explorer.results.store import ResultStore
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import FRONT_FILE, NOTE, PLAIN, At, metric_key
from explorer.tracking.entries import Summary
from explorer.words import counted
from trainables.faults import reason_of

__all__ = ["stored_summary", "summary"]

_SHOWN = 12
"""Trials of the front that the description lists."""


def stored_summary(uri: str, experiment: str, sweep: str, tell: Callable[[str], None]) -> Summary | None:
    """The summary of a sweep as its store has it now.

    None where there is nothing to tell, and where it cannot be made, which ``tell`` hears: what is stored stays all the
    same.
    """
    try:
        store = ResultStore(uri, experiment)
        info = next((one for one in store.sweeps() if one.name == sweep), None)
        if info is None:
            return None
        table = store.table(sweep)
        beside = shared_comparison(store.uri, info.experiment_id, sweep, table.goals, list(table))
        return summary(table, info.experiment_id, beside)
    except Exception as error:  # of a store, or of numbers that nobody thought of
        tell(f"the sweep's run has no summary of the front ({reason_of(error)})")
        return None


def summary(table: TrialTable, experiment_id: str = "", beside: str = "") -> Summary:
    """Numbers, description and picture of a table; O(N log N) beside the audit, a few seconds for 10,000 trials.

    ``beside``: the link to its trials beside each other, which the description has.
    """
    reference = reference_point(table)
    readings = sorted({at for trial in table.finished() for at in trial.readings} - {PLAIN})
    rankings = {at: rank(table, at, reference) for at in (PLAIN, *readings)}
    audit = audit_lambda(table)
    numbers = {**_front_numbers(table, rankings), **_counts(table), **_audit_numbers(audit)}
    picture = _picture(table, rankings)
    files = {} if picture is None else {FRONT_FILE: picture}
    front = [trial for trial in table if rankings[PLAIN].ranks.get(trial.id) == 0]
    told = described_sweep(
        description=table.description,
        counts=_counted(table, rankings[PLAIN]),
        picture="" if picture is None else artifact_link(FRONT_FILE),
        rows=_rows(table, front, experiment_id),
        left_out=max(0, len(front) - _SHOWN),
        audit=audit.sentences(),
        beside=beside,
        command=f"tradeoff front {table.sweep}",
    )
    finished = sum(trial.status == "finished" for trial in table)
    return Summary(finished, {key: v for key, v in numbers.items() if math.isfinite(v)}, {NOTE: told}, files)


def _front_numbers(table: TrialTable, rankings: Mapping[At, Ranking]) -> dict[str, float]:
    """Hypervolume and size of the front at every reading, and the best value of each objective."""
    found: dict[str, float] = {}
    for at, ranking in rankings.items():
        found[metric_key(at, "hypervolume")] = ranking.hypervolume
        found[metric_key(at, "front_size")] = len(ranking.front)
    for goal in table.goals:
        values = minimised([goal], (trial.metrics for trial in table.finished()))
        if np.isfinite(values).any():
            found[f"best/{goal.metric}"] = goal.sign * float(np.nanmin(values))
    return found


def _counts(table: TrialTable) -> dict[str, float]:
    """Trials by what became of them, and what training them took, over all launches."""
    bases = table.bases()
    statuses = [trial.status for trial in table if trial.id not in bases]
    found: dict[str, float] = {
        "trials": len(statuses),
        "trials_finished": statuses.count("finished"),
        "trials_failed": statuses.count("failed"),
        "trials_stopped": sum(t.stopped is not None for t in table.finished()),
        **({"bases": len(table) - len(statuses)} if bases else {}),
    }
    for key in ("train_seconds", "gpu_seconds"):
        spent = [t.metrics[key] for t in table if math.isfinite(t.metrics.get(key, math.nan))]
        if spent:
            found[key] = math.fsum(spent)
    return found


def _audit_numbers(audit: LambdaAudit) -> dict[str, float]:
    """What the λ audit found: of several settings the median."""
    groups = audit.defined
    found: dict[str, float] = {"lambda_audit/settings": len(groups), "lambda_audit/inert": len(audit.inert)}
    for name, values in (
        ("lambda_audit/spearman_precision", [g.precision for g in groups]),
        ("lambda_audit/spearman_recall", [g.recall for g in groups]),
        ("lambda_audit/p_precision", [g.chance[0] for g in groups]),
        ("lambda_audit/p_recall", [g.chance[1] for g in groups]),
    ):
        known = [value for value in values if value is not None]
        if known:
            found[name] = median(known)
    return found if audit.groups else {}


def _counted(table: TrialTable, ranking: Ranking) -> str:
    finished = [trial.id for trial in table.finished()]
    bases = len(table.bases() & set(finished))
    failed = sum(trial.status == "failed" for trial in table)
    stopped = sum(trial.stopped is not None for trial in table.finished())
    beside = f" and {counted(bases, 'base')}" if bases else ""
    words = [f"{counted(len(finished) - bases, 'trial')}{beside} finished"]
    words += [f"{failed:,} failed"] if failed else []
    words += [f"{stopped:,} ended early"] if stopped else []
    words.append(f"{len(ranking.front):,} on the front")
    if ranking.unmeasured is None:
        words.append(f"hypervolume {number(ranking.hypervolume, 5)}")
    return ", ".join(words)


def _rows(table: TrialTable, front: Sequence[Trial], experiment_id: str) -> list[list[str]]:
    """The front as a table for Markdown, by falling recall or by the first objective; a trial is a link to its run."""
    goals = table.goals
    first = next((goal for goal in goals if goal.metric == "recall"), goals[0])
    best = sorted(front, key=lambda t: first.sign * t.metrics.get(first.metric, math.inf))
    name = searchable(Naming.of([trial.params for trial in table]))
    # Of a long front every so many are shown, both ends among them.
    places = np.unique(np.linspace(0, len(best) - 1, min(len(best), _SHOWN)).round())
    rows = [["trial", *(table.title(goal.metric) for goal in goals)]]
    for trial in (best[int(place)] for place in places):
        words = name(trial.params) or trial.id
        link = run_page(experiment_id, trial.run_id) if experiment_id else ""
        values = [number(trial.metrics.get(goal.metric, math.nan)) for goal in goals]
        rows.append([f"[{words}]({link})" if link else words, *values])
    return rows


def _picture(table: TrialTable, rankings: Mapping[At, Ranking]) -> bytes | None:
    """Two objectives against each other, recall and precision where they were measured."""
    axes = _axes(table)
    if axes is None:
        return None
    x, y = axes
    trials = [t for t in table.finished() if {x, y} <= set(t.metrics)]
    if not trials:
        return None
    largest = max((at for at in rankings if at != PLAIN), key=lambda at: at.budget, default=None)
    refined = [] if largest is None else [t.at(largest) for t in trials]
    lambdas = [lambda_of(trial) for trial in trials]
    cloud = Cloud(
        points=np.array([[t.metrics[x], t.metrics[y]] for t in trials]),
        refined=np.array(list(_pairs(refined, x, y))).reshape(-1, 2),
        lambdas=np.array([math.nan if lam is None else lam for lam in lambdas]),
        on_front=np.array([rankings[PLAIN].ranks.get(t.id) == 0 for t in trials]),
        flat={goal.metric for goal in table.goals} == {x, y},
    )
    ways = {goal.metric: goal.direction for goal in table.goals}
    drawn = (Axis(table.title(x), ways.get(x) != "min"), Axis(table.title(y), ways.get(y) != "min"))
    words = cut(_counted(table, rankings[PLAIN]), 84)
    other = "" if largest is None else f"K = {largest.budget:g}"
    return front_picture(cut(table.sweep, 60), words, drawn, cloud, other)


def _axes(table: TrialTable) -> tuple[str, str] | None:
    goals = [goal.metric for goal in table.goals]
    if {"recall", "precision"} <= set(goals):
        return "recall", "precision"
    return (goals[0], goals[1]) if len(goals) > 1 else None


def _pairs(readings: Sequence[Mapping[str, float]], x: str, y: str) -> Iterator[tuple[float, float]]:
    for read in readings:
        if math.isfinite(read.get(x, math.nan)) and math.isfinite(read.get(y, math.nan)):
            yield read[x], read[y]
