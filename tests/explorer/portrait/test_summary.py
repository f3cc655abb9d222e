"""What a sweep's own run says of the whole agrees with what the front and the audit say."""

from __future__ import annotations

import io
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from explorer.goals import Goal
from explorer.launch.portraits import Portraits
from explorer.pareto import Front
from explorer.portrait import summary as module
from explorer.portrait.summary import stored_summary, summary
from explorer.results.audit import audit_lambda
from explorer.results.catalogue import built_in
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import FRONT_FILE, NOTE, PLAIN, At
from explorer.store.whole import is_summed
from tests.explorer.launch.small import configs, finish, small_sweep, tracker

GOALS = (Goal("precision", "max"), Goal("recall", "max"))
TWO = At("obrs", 2.0)


def table(count: int = 6, goals: tuple[Goal, ...] = GOALS) -> TrialTable:
    """The greater λ the more precise, the less diverse; the last one failed."""
    trials = []
    for number in range(count):
        share = (number + 1) / (count + 1)
        plain = {"precision": share, "recall": 1 - share * share, "fid": 2.0, "train_seconds": 3.0}
        trials.append(
            Trial(
                f"t{number}",
                f"r{number}",
                "finished" if number < count - 1 else "failed",
                {"objective.lam": 2.0**number, "objective.name": "pr", "seed": 0},
                {PLAIN: plain, TWO: {**plain, "precision": min(1.0, share + 0.1)}},
            )
        )
    return TrialTable("ring", goals, tuple(trials), "What it is for", built_in())


def test_numbers_are_those_of_the_front() -> None:
    made, found = table(), summary(table(), "7")
    assert found.step == 5
    assert found.metrics["hypervolume"] == pytest.approx(Front(made, PLAIN).hypervolume)
    assert found.metrics["obrs/2/hypervolume"] == pytest.approx(Front(made, TWO).hypervolume)
    assert found.metrics["front_size"] == len(Front(made, PLAIN)) == 5
    assert found.metrics["best/precision"] == pytest.approx(5 / 7)
    counts = [found.metrics[key] for key in ("trials", "trials_finished", "trials_failed", "trials_stopped")]
    assert counts == [6, 5, 1, 0]
    assert found.metrics["train_seconds"] == 18.0
    (group,) = audit_lambda(made).defined
    assert found.metrics["lambda_audit/spearman_precision"] == group.precision == 1.0
    assert found.metrics["lambda_audit/spearman_recall"] == group.recall == -1.0
    assert all(math.isfinite(value) for value in found.metrics.values())
    assert all(map(is_summed, found.metrics)), "what does not travel is known by its name"


def test_bases_are_counted_by_themselves_and_numbers_of_any_size_are_short() -> None:
    made = table(goals=(Goal("precision", "max"), Goal("fid", "min")))
    first, *rest = made.trials
    begun = [replace(t, params={**t.params, "start.from": first.id}) for t in rest[:-1]]
    wild = replace(rest[-1], status="finished", readings={PLAIN: {"precision": 0.1, "fid": 1e53}})
    found = summary(replace(made, trials=(first, *begun, wild)), "7")
    counts = {key: found.metrics[key] for key in ("trials", "trials_finished", "bases")}
    assert counts == {"trials": 5, "trials_finished": 5, "bases": 1}
    assert is_summed("bases")
    assert "**5 trials and 1 base finished, " in found.tags[NOTE]
    (told,) = [line for line in found.tags[NOTE].splitlines() if "hypervolume" in line]
    assert re.search(r"hypervolume \d\.\d+e\\\+\d\d", told)


def test_it_is_told_in_words_with_a_picture_and_links() -> None:
    found = summary(table(), "7")
    told = found.tags[NOTE]
    assert told.startswith("What it is for\n\n**5 trials finished, 1 failed, 5 on the front, hypervolume 0.")
    assert "![front](get-artifact?path=front.png&run_uuid={this-run})" in told
    assert "| [lam 1](#/experiments/7/runs/r0?workflowType=machine_learning) | 0.143 | 0.98 |" in told
    assert "λ audit" in told
    content = found.files[FRONT_FILE]
    assert isinstance(content, bytes)
    assert Image.open(io.BytesIO(content)).size == (680, 480)


def test_a_long_front_is_told_in_part() -> None:
    told = summary(table(60), "7").tags[NOTE]
    assert "[lam 1]" in told
    assert told.count("#/experiments/7/runs/") == 12
    assert "… and 47 more" in told


def test_one_objective_has_no_picture_and_nothing_finished_no_numbers() -> None:
    single = summary(table(goals=(Goal("fid", "min"),)))
    assert single.files == {}
    assert single.metrics["best/fid"] == 2.0
    none = summary(TrialTable("ring", GOALS, (), "", built_in()))
    assert none.step == 0
    assert none.files == {}
    assert none.metrics["front_size"] == 0


def test_a_store_is_summed_up_on_the_sweeps_own_run_once(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    opened = tracker(sweep)
    opened.summarise(Portraits(sweep, "").whole())
    for trial in configs(sweep):
        finish(opened, sweep, trial)
    heard: list[str] = []
    for _ in range(2):
        found = stored_summary(sweep.tracking.uri, sweep.tracking.experiment, sweep.name, heard.append)
        assert found is not None
        opened.summarise(found)
    opened.close_sweep(interrupted=False)
    assert heard == []
    from mlflow import MlflowClient

    client = MlflowClient(tracking_uri=sweep.tracking.uri)
    (experiment,) = [e for e in client.search_experiments() if e.name == sweep.tracking.experiment]
    (run,) = client.search_runs([experiment.experiment_id], "tags.`tradeoff.kind` = 'sweep'")
    assert run.data.metrics["trials_finished"] == 2
    assert len(client.get_metric_history(run.info.run_id, "hypervolume")) == 1
    assert f"run_uuid={run.info.run_id})" in run.data.tags[NOTE]
    (experiment,) = [e for e in client.search_experiments() if e.name == sweep.tracking.experiment]
    shared = f"#/experiments/{experiment.experiment_id}/runs?viewStateShareKey=tradeoff-{sweep.name}&"
    assert f"[All trials beside each other]({shared}" in run.data.tags[NOTE]
    assert f"mlflow.sharedViewState.tradeoff-{sweep.name}" in experiment.tags, "and the link leads somewhere"
    assert run.data.tags["tradeoff.version"]
    assert "front.png" in [one.path for one in client.list_artifacts(run.info.run_id)]


def test_what_cannot_be_summed_up_is_told_and_costs_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = small_sweep(tmp_path)
    tracker(sweep)

    def broken(*arguments: object) -> None:
        raise ZeroDivisionError("nobody thought of that")

    monkeypatch.setattr(module, "summary", broken)
    heard: list[str] = []
    assert stored_summary(sweep.tracking.uri, sweep.tracking.experiment, sweep.name, heard.append) is None
    assert heard == [
        "the sweep's run has no summary of the front (ZeroDivisionError: nobody thought of that)"
    ]
