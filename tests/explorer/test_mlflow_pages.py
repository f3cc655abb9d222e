"""Links into MLflow's pages: they fit a tag, name the right runs and need no view where none can be written."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer import mlflow_pages
from explorer.goals import Goal
from explorer.mlflow_pages import comparison, comparison_view
from explorer.results.store import ResultStore
from explorer.results.table import Trial
from explorer.store.connection import Connection
from explorer.store.schema import PLAIN, At
from explorer.tracking.shared_view import LONGEST
from tests.explorer.launch.small import configs, finish, small_sweep, tracker

GOALS = (Goal("precision", "max"), Goal("recall", "max"), Goal("fid", "min"))


def trials(budgets: tuple[float, ...] = (2.0, 4.0)) -> list[Trial]:
    plain = dict.fromkeys(("precision", "recall", "fid"), 0.5)
    readings = {PLAIN: plain, **{At("obrs", budget): plain for budget in budgets}}
    return [Trial(f"t{lam}", f"r{lam}", "finished", {"objective.lam": lam}, readings) for lam in (1.0, 2.0)]


def asked(fragment: str) -> dict[str, str]:
    return {key: one for key, (one,) in parse_qs(urlsplit(fragment.removeprefix("#")).query).items()}


def test_the_front_comes_first_then_training_then_the_largest_budget() -> None:
    view = comparison_view("ring", GOALS, trials())
    names = [section["name"] for section in view["compareRunSections"]]
    assert names == ["Front", "While training", "K = 4, obrs", "K = 2, obrs"]
    first = view["compareRunCharts"][0]
    assert (first["type"], first["xaxis"]["key"], first["yaxis"]["key"]) == ("SCATTER", "recall", "precision")
    lines = [chart["metricKey"] for chart in view["compareRunCharts"] if chart["type"] == "LINE"]
    assert lines == ["precision", "recall", "fid"]
    sections = {section["uuid"] for section in view["compareRunSections"]}
    assert {chart["metricSectionId"] for chart in view["compareRunCharts"]} == sections
    assert view["searchFilter"] == "tags.`tradeoff.sweep` = 'ring' and tags.`tradeoff.kind` = 'trial'"
    assert (view["orderByKey"], view["orderByAsc"]) == ("metrics.`precision`", False)
    assert "params.`objective.lam`" in view["selectedColumns"]


def test_parallel_coordinates_have_axes_that_every_trial_has_and_those_with_lambda_a_chart_of_their_own() -> (
    None
):
    both = [{"objective.lam": lam, "seed": 0, "training.ema": 0.9} for lam in (1.0, 2.0)]
    told: list[dict[str, float | int]] = [*both, {"seed": 1, "training.ema": 0.5}]
    made = [Trial(f"t{i}", f"r{i}", "finished", params, {}) for i, params in enumerate(told)]
    charts = comparison_view("ring", GOALS, made)["compareRunCharts"]
    axes = [chart["selectedParams"] for chart in charts if chart["type"] == "PARALLEL"]
    assert axes == [["training.ema", "seed"], ["objective.lam"]]


def test_long_names_that_begin_alike_have_views_of_their_own() -> None:
    names = [f"{'x' * 99}{end}" for end in "ab"]
    keys = [mlflow_pages._key(name) for name in ("ring", *names, "λ" * 40)]
    assert keys[0] == "tradeoff-ring"
    assert len(set(keys)) == 4
    assert max(map(len, keys)) <= 100


@given(
    st.lists(st.text("abc_.", min_size=1, max_size=200), min_size=1, max_size=8, unique=True),
    st.lists(st.floats(1, 1e6), max_size=30),
)
def test_any_view_fits_a_tag_or_is_left_out(metrics: list[str], budgets: list[float]) -> None:
    goals = [Goal(metric, "max") for metric in metrics]
    view = comparison_view("ring", goals, trials(tuple(budgets)))
    short = len(metrics) <= 3 and max(map(len, metrics)) < 60
    assert len(json.dumps(view, separators=(",", ":"), ensure_ascii=False)) <= LONGEST or not short


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> ResultStore:
    sweep = small_sweep(tmp_path_factory.mktemp("store"))
    opened = tracker(sweep)
    for trial in configs(sweep):
        finish(opened, sweep, trial)
    return ResultStore(sweep.tracking.uri or "")


def test_the_view_is_kept_with_the_experiment_once(store: ResultStore) -> None:
    info = store.info("small")
    links = {comparison(store, info), comparison(store, info)}
    (link,) = links
    assert link.startswith(f"#/experiments/{info.experiment_id}/runs?")
    told = asked(link)
    assert told == {
        "viewStateShareKey": "tradeoff-small",
        "compareRunsMode": "CHART",
        "workflowType": "machine_learning",
    }
    tags = Connection(store.uri).client.get_experiment(info.experiment_id).tags
    kept = [key for key in tags if key.startswith("mlflow.sharedViewState.")]
    assert kept == ["mlflow.sharedViewState.tradeoff-small"]
    assert json.loads(tags[kept[0]])["compareRunCharts"]


def test_where_no_view_can_be_written_the_link_has_the_runs_all_the_same(
    store: ResultStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(mlflow_pages, "share_view", lambda *arguments: False)
    told = asked(comparison(store, store.info("small")))
    assert told["searchFilter"] == "tags.`tradeoff.sweep` = 'small' and tags.`tradeoff.kind` = 'trial'"
    assert told["orderByKey"] == "metrics.`precision`"
    assert told["compareRunsMode"] == "CHART"
    info = store.info("small")
    found = Connection(store.uri).client.search_runs([info.experiment_id], told["searchFilter"])
    assert len(found) == 2
