"""What is trained once is read as often as one likes: more budgets, samples or metrics train nothing."""

from __future__ import annotations

import io
import shutil
from typing import Any

import pytest
from rich.console import Console

from explorer.launch.earlier import earlier_trials
from explorer.launch.plan import Plan, make_plan
from explorer.launch.run import Outcome, run_sweep
from explorer.pareto import front_document
from explorer.results.store import ResultStore
from explorer.sweep import load_sweep
from tests.explorer.launch.conftest import Workplace

pytestmark = pytest.mark.cluster

MORE = "refinement.budgets=[1, 2, 3, 5]"
LARGER = "evaluation.samples=300"


class Reader:
    """The same sweep, planned and read again in this process: reading needs no Ray."""

    def __init__(self, place: Workplace, monkeypatch: pytest.MonkeyPatch, **sizes: int) -> None:
        monkeypatch.setenv("TRADEOFF_HOME", str(place.home))
        monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
        self.place, self.file = place, place.file(pack=8, **sizes)

    def plan(self, *assignments: str) -> Plan:
        sweep = load_sweep(str(self.file), assignments)
        return make_plan(sweep, earlier_trials(sweep))

    def read(self, *assignments: str) -> Outcome:
        assert self.plan(*assignments).iterations == 0
        return run_sweep(load_sweep(str(self.file), assignments), Console(file=io.StringIO()))

    def front(self) -> dict[str, Any]:
        return front_document(ResultStore(f"sqlite:///{self.place.home / 'mlflow.db'}").table("tiny"))

    def trials(self) -> dict[str, dict[str, Any]]:
        return {trial["id"]: trial for trial in self.front()["trials"]}

    def tags(self) -> list[dict[str, str]]:
        return [r.data.tags for r in self.place._found("tiny")[1] if "tradeoff.trial" in r.data.tags]


def test_a_finished_sweep_is_read_again_without_training(
    on_cluster: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = Reader(on_cluster, monkeypatch)
    assert on_cluster.json_here("sweep", again.file)["iterations"] == 8 * 40
    first = again.trials()

    plan = again.plan(MORE)
    assert (plan.trials, plan.done, plan.read, plan.iterations) == (8, 0, 8, 0)

    # two more budgets: what was read in the same way stays as it was
    outcome = again.read(MORE)
    assert (outcome.finished, outcome.iterations, outcome.failed) == (8, 0, 0)
    second = again.trials()
    assert second.keys() == first.keys(), "what is read does not name a trial"
    for identity, trial in second.items():
        assert set(trial["budgets"]) == {"1", "2", "3", "5"}
        assert trial["metrics"] == first[identity]["metrics"]
        assert trial["budgets"]["2"]["precision"] == first[identity]["budgets"]["2"]["precision"]
    assert again.plan(MORE).done == again.plan().done == 8, "nothing is left to read, nor with fewer budgets"

    # a larger evaluation and another metric: every number is a new one, and none of another kind stands beside it
    metrics = "evaluation.metrics=[neighbours, frechet, {name: kernel, block: 50}]"
    assert again.read(LARGER, metrics, "search.objectives={recall: max, kid: min}").iterations == 0
    assert again.front()["objectives"] == {"recall": "max", "kid": "min"}
    for identity, trial in again.trials().items():
        assert set(trial["budgets"]) == {"1", "2"}, "budgets that were not read again are gone"
        assert trial["metrics"]["fid"] != second[identity]["metrics"]["fid"]
        assert trial["metrics"]["train_seconds"] == second[identity]["metrics"]["train_seconds"]
        assert {"kid", "fid"} <= set(trial["metrics"]) & set(trial["budgets"]["2"])
        assert "quality" not in trial["metrics"]

    statuses, counts = on_cluster.runs("tiny")
    assert set(statuses.values()) == {"FINISHED"}
    assert set(counts.values()) == {1}

    # without its stored model a trial must be trained again, and the plan says so
    shutil.rmtree(on_cluster.home / "checkpoints" / min(first))
    assert (again.plan(MORE).read, again.plan(MORE).iterations) == (7, 40)


@pytest.mark.slow
def test_a_stopper_ends_trials_where_they_stand_and_without_it_they_go_on(
    on_cluster: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = Reader(on_cluster, monkeypatch, iterations=40, every=10)
    # no goal can improve by a thousand, so that every trial ends at its second evaluation
    patient = "stopping={name: plateau, patience: 1, margin: 1000}"
    assert on_cluster.json_here("sweep", again.file, "--set", patient)["iterations"] == 8 * 20
    trials = again.trials().values()
    assert {t["status"] for t in trials} == {"finished"}
    assert all(set(t["budgets"]) == {"1", "2"} for t in trials), "read as at their end"
    assert all("no goal improved in 1 evaluation" in tags["tradeoff.stopped"] for tags in again.tags())

    assert again.plan(patient).done == 8
    plan = again.plan(patient, MORE)
    assert (plan.read, plan.iterations) == (8, 0), "stopped trials are read where they stand"
    assert again.read(patient, MORE).finished == 8
    assert all("tradeoff.stopped" in tags for tags in again.tags()), "and stay stopped"

    plan = again.plan()
    assert (plan.resumed, plan.iterations) == (8, 8 * 20), "without it they go on from there to the end"
