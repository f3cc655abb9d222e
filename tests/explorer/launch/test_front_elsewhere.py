"""The front of a sweep that was trained is the same through our own MLflow, an archive, a CSV file and Optuna."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from pathlib import Path

import optuna
import pytest

from explorer.goals import Goal
from explorer.pareto import Front, trials_csv
from explorer.results.audit import audit_lambda
from explorer.results.store import ResultStore
from explorer.results.table import Scalar, Trial, TrialTable
from explorer.store.connection import Connection
from explorer.store.schema import PLAIN, At, metric_key
from explorer.transfer import export_sweep, import_address
from tests.explorer.launch.conftest import Workplace
from tests.stores import empty_store

optuna.logging.set_verbosity(optuna.logging.ERROR)

TWICE = At("obrs", 2.0)

MEMBER = '''
from dataclasses import dataclass
from trainables.objectives.hinge import Hinge


@dataclass(frozen=True)
class Odd(Hinge):
    """Texts that look like something else, and one that no trial survives."""

    name = "odd"
    label: str = "007"

    def generator_loss(self, fake, columns):
        if self.label == "True":
            raise ValueError("no, \\"luck\\";\\nnone")
        return super().generator_loss(fake, columns)
'''

SWEEP = """
name: real
description: "=1+1, a \\"real\\" sweep"
plugins: [odd_member.py]
model: {generator: [16, 16], critic: [16, 16]}
refinement: {budgets: [1, 2]}
training: {iterations: 150, batch_size: 64}
evaluation: {samples: 100, every: 75, intervals: true}
seeds: 2
search: {objectives: {precision: max, recall: max, fid: min}}
space:
  - objective.lam: [0.2, 5]
  - objective.name: [odd]
    objective.label: ["007", "1e-3", "True"]
resources: {cpus: 2}
"""


def told(table: TrialTable, at: At = PLAIN) -> tuple[list[tuple[dict[str, Scalar], list[float]]], float]:
    """A front: of each member what was asked for, and what was measured, to the last digit; its hypervolume."""
    front, goals = Front(table, at), [goal.metric for goal in table.goals]
    members = [(wanted(trial), [trial.at(at)[metric] for metric in goals]) for trial in front]
    return sorted(members, key=repr), front.hypervolume


def wanted(trial: Trial) -> dict[str, Scalar]:
    return {path: value for path, value in sorted(trial.params.items()) if value is not None}


def ends(table: TrialTable) -> list[tuple[str, str | None]]:
    return sorted((trial.status, trial.reason if trial.status == "failed" else None) for trial in table)


def as_study(trials: TrialTable, goals: Sequence[Goal], file: Path) -> Path:
    """The same trials as Optuna itself keeps them, what it has no place for as attributes of their user."""
    words = {"max": "maximize", "min": "minimize"}
    study = optuna.create_study(
        storage=f"sqlite:///{file}", study_name="real", directions=[words[goal.direction] for goal in goals]
    )
    with warnings.catch_warnings(action="ignore"):
        study.set_metric_names([goal.metric for goal in goals])
    state = optuna.trial.TrialState
    choices: dict[str, dict[str, Scalar]] = {}
    for trial in trials:
        for path, value in wanted(trial).items():
            choices.setdefault(path, {})[repr(value)] = value
    states = {"finished": state.COMPLETE, "failed": state.FAIL, "killed": state.PRUNED}
    for trial in trials:
        params = wanted(trial)
        study.add_trial(
            optuna.trial.create_trial(
                state=states[trial.status],
                params=params,
                distributions={
                    path: optuna.distributions.CategoricalDistribution([*choices[path].values()])
                    for path in params
                },
                values=[trial.metrics[goal.metric] for goal in goals] if trial.status == "finished" else None,
                user_attrs={metric_key(TWICE, name): value for name, value in trial.at(TWICE).items()},
            )
        )
    return file


@pytest.mark.slow
def test_a_trained_front_is_the_same_wherever_it_came_through(on_cluster: Workplace) -> None:
    folder = on_cluster.folder
    (folder / "odd_member.py").write_text(MEMBER)
    on_cluster.run("sweep", on_cluster.file("real", SWEEP))
    uri = f"sqlite:///{on_cluster.home / 'mlflow.db'}"
    # Of two that were dominated one was stopped, as by Ctrl-C, and one has a metric that was not finite.
    table, client = ResultStore(uri).table("real"), Connection(uri).client
    stopped, spoilt = [trial for trial in table.finished() if trial not in Front(table, PLAIN)][:2]
    client.set_terminated(stopped.run_id, "KILLED")
    client.log_metric(spoilt.run_id, "density", math.nan, step=150)

    ours = ResultStore(uri).table("real")
    assert {trial.status for trial in ours} == {"finished", "failed", "killed"}
    assert {"007", "1e-3", "True"} <= {trial.params.get("objective.label") for trial in ours}
    assert any("recall.low" in trial.metrics for trial in ours)
    assert sum("density" not in trial.metrics for trial in ours.finished()) == 1
    (folder / "real.csv").write_text(trials_csv(ours))
    ways = {
        "mlflow": uri,
        "archive": str(export_sweep(ResultStore(uri), "real", folder / "real.zip").file),
        "csv": str(folder / "real.csv"),
        "optuna": str(as_study(ours, ours.goals, folder / "study.db")),
    }
    for way, address in ways.items():
        there = empty_store(folder / way)
        goals, named = (ours.goals if way == "csv" else None), ("real" if way == "mlflow" else None)
        came = [import_address(address, there, goals=goals, sweep=named) for _ in range(2)]
        assert [(one.written, one.known) for one in came] == [(len(ours), 0), (0, len(ours))], way
        found = ResultStore(there).table("real")
        assert told(found) == told(ours), way
        assert [status for status, _ in ends(found)] == [status for status, _ in ends(ours)], way
        if way == "optuna":  # which knows one number an objective: those at K = 2 are others
            twice = tuple(Goal(metric_key(TWICE, goal.metric), goal.direction) for goal in ours.goals)
            import_address(address, there, goals=twice)
            assert told(ResultStore(there).table("real")) == told(ours, TWICE)
            continue
        assert told(found, TWICE) == told(ours, TWICE), way
        assert [(trial.id, dict(trial.metrics)) for trial in found] == [
            (trial.id, dict(trial.metrics)) for trial in ours
        ], way
        if way != "csv":
            assert ends(found) == ends(ours)
            assert audit_lambda(found).sentences() == audit_lambda(ours).sentences()
