"""Runs of a real store by what people call them, each with its sweep."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.comparison.opening import open_sides
from explorer.errors import UserError
from explorer.results.store import ResultStore
from explorer.store.connection import Connection
from explorer.tracking import Tracker
from tests.stores import empty_store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> ResultStore:
    uri = empty_store(tmp_path_factory.mktemp("store"))
    for experiment, sweep, trials in (
        ("one", "near", ("aaaa11", "bbbb22")),
        ("one", "far", ("aaaa11", "cccc33")),
        ("two", "near", ("dddd44",)),
    ):
        tracker = Tracker(uri, experiment)
        tracker.open_sweep(sweep, {"fid": "min"}, "", "", "{}")
        tracker.start([(trial, {"lr": i}) for i, trial in enumerate(trials)])
        for trial in trials:
            tracker.log(trial, 1, {"fid": 1.0})
            tracker.finish(trial)
    client = Connection(uri).client
    place = client.create_experiment("others")
    for i in range(2):
        run = client.create_run(place, run_name=f"theirs {i}").info.run_id
        client.log_param(run, "lr", str(i))
        client.log_metric(run, "loss", 0.5)
        client.set_terminated(run)
    return ResultStore(uri)


def test_runs_of_several_sweeps_and_of_others_are_opened_by_any_of_their_names(store: ResultStore) -> None:
    run = next(t.run_id for t in store.table("far") if t.id == "cccc33")
    found = open_sides(store, ["far/aaaa", run[:12], "bbbb22", "theirs 1"])
    assert [(side.label, side.trial.id) for side in found[:3]] == [
        ("far", "aaaa11"),
        ("far", "cccc33"),
        ("near", "bbbb22"),
    ]
    assert found[3].label == "others"
    assert dict(found[3].trial.params) == {"lr": 1}


def test_sweeps_of_one_name_are_told_apart_by_their_experiment(store: ResultStore) -> None:
    assert [side.label for side in open_sides(store, ["near/bbbb22", "dddd44"])] == [
        "near @ one",
        "near @ two",
    ]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("bbbb22",), "a comparison takes 2 to 8 runs, got 1"),
        (("bbbb22", "bbbb"), "each run is compared once, and 'bbbb22' and 'bbbb' are the same one"),
        (("bbbb22", "aaaa11"), "2 are called 'aaaa11' (far/aaaa11, near/aaaa11)"),
        (("bbbb22", "nobody"), "no run is called 'nobody'"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    store: ResultStore, words: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(UserError) as refused:
        open_sides(store, words)
    assert sentence in str(refused.value)


def test_a_missing_store_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        open_sides(ResultStore(f"sqlite:///{tmp_path}/none.db"), ["a", "b"])
