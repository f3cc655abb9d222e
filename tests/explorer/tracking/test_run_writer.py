"""Single runs: evaluations in few requests, artifacts once, and what a crash in between leaves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from explorer.results.store import ResultStore
from explorer.store.schema import NOTE, PLAIN, THIS_RUN
from explorer.tracking import Data, Tracker, TrialRun
from explorer.tracking.entries import Entry, Finish, Log, Note, Start
from tests.stores import empty_store


@pytest.fixture(scope="module")
def uri(tmp_path_factory: pytest.TempPathFactory) -> str:
    return empty_store(tmp_path_factory.mktemp("store"))


@pytest.fixture
def tracker(uri: str, request: pytest.FixtureRequest) -> Tracker:
    return opened(uri, request.node.name)


def opened(uri: str, sweep: str) -> Tracker:
    tracker = Tracker(uri, "tests")
    tracker.open_sweep(sweep, {"fid": "min"}, "", "name: x\n", '{"metrics": []}')
    return tracker


@pytest.fixture
def requests(tracker: Tracker, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the client's methods that are called."""
    called: list[str] = []
    client: Any = tracker._store.client
    for name in ("log_batch", "create_run", "set_terminated", "update_run", "log_inputs"):
        real = getattr(client, name)

        def call(*args: Any, name: str = name, real: Any = real, **more: Any) -> Any:
            called.append(name)
            return real(*args, **more)

        monkeypatch.setattr(client, name, call)
    return called


def test_evaluations_that_follow_each_other_are_one_request(
    tracker: Tracker, requests: list[str], uri: str
) -> None:
    tracker.start([("a", {})])
    requests.clear()
    told = [Entry("a", 1000 + i, Log(i, {f"m{j}": float(i * j) for j in range(20)})) for i in range(1, 51)]
    tracker.apply("a", told)
    assert requests == ["log_batch"], "1,000 metrics"
    tracker.apply("a", [Entry("a", 2000 + i, Log(100 + i, {"m1": 0.0, "m2": 1.0})) for i in range(501)])
    assert requests == ["log_batch"] * 3, "1,002 metrics, an evaluation never cut in two"
    (trial,) = ResultStore(uri).table(tracker._sweep)
    history = ResultStore(uri).history(trial.run_id, "m1")
    assert history == [(i, float(i)) for i in range(1, 51)] + [(100 + i, 0.0) for i in range(501)]


def test_what_is_applied_twice_is_there_once(uri: str) -> None:
    told = [
        Entry("a", 1000, Start({"seed": 1})),
        Entry("a", 1001, Log(1, {"fid": 3.0})),
        Entry("a", 1002, Log(2, {"fid": 2.0}, {PLAIN: "x"}, "[]")),
        Entry("a", 1003, Finish()),
    ]
    for cut in range(1, len(told) + 1):  # killed after each of them, with an answer that was lost
        sweep = f"twice-{cut}"
        opened(uri, sweep).apply("a", told[:cut])
        again = opened(uri, sweep)
        again.apply("a", told[cut - 1 :])
        again.close_sweep(interrupted=False)
        (trial,) = ResultStore(uri).table(sweep)
        assert (trial.status, trial.ended, trial.marks) == ("finished", 1003, {PLAIN: "x"})
        assert ResultStore(uri).history(trial.run_id, "fid") == [(1, 3.0), (2, 2.0)]


def test_moments_are_those_at_which_things_were_told(tracker: Tracker, uri: str) -> None:
    tracker.apply("a", [Entry("a", 5000, Start({})), Entry("a", 9000, Finish())])
    (trial,) = ResultStore(uri).table(tracker._sweep)
    assert (trial.started, trial.ended) == (5000, 9000)


def test_a_run_says_where_it_comes_from_and_what_it_trains_on(
    tracker: Tracker, requests: list[str], uri: str
) -> None:
    begun = TrialRun(
        "a", {"seed": 1}, "lam 0.5 seed 1", {"tradeoff.host": "here"}, Data("ring", "abc", "made")
    )
    tracker.start([begun])
    assert requests.count("log_batch") == 2, "one for the run, one for the count of trials"
    run = tracker._store.client.get_run(tracker._children["a"].run_id)
    assert run.info.run_name == "lam 0.5 seed 1"
    assert run.data.tags["tradeoff.host"] == "here"
    (used,) = run.inputs.dataset_inputs
    assert (used.dataset.name, used.dataset.digest) == ("ring", "abc")
    requests.clear()
    opened(uri, tracker._sweep).start([begun])
    tracker.start([begun._replace(name="lam 0.50 seed 1")])
    run = tracker._store.client.get_run(run.info.run_id)
    assert run.info.run_name == "lam 0.50 seed 1"
    assert len(run.inputs.dataset_inputs) == 1
    assert requests == ["log_batch"]


def test_artifacts_that_are_there_are_not_sent_again(
    tracker: Tracker, uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracker.start([("a", {})])
    tracker.artifacts("a", {"model/MLmodel": "x", "samples.json": b"{}"})
    folder = Path(tracker._children["a"].artifact_uri.removeprefix("file://"))
    assert (folder / "model" / "MLmodel").read_text() == "x"
    again = opened(uri, tracker._sweep)
    sent: list[set[str]] = []
    put = again._runs._put
    monkeypatch.setattr(again._runs, "_put", lambda uri, files: sent.append(set(files)) or put(uri, files))
    again.artifacts("a", {"model/MLmodel": "x", "samples.json": b"{}"})
    assert sent == []
    again.artifacts("a", {"model/MLmodel": "y", "samples.json": b"{}"})
    assert sent == [{"model/MLmodel"}]
    assert (folder / "model" / "MLmodel").read_text() == "y"


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", "", ".", "a\\b", "a//b", "./a"])
def test_artifacts_stay_in_their_folder(tracker: Tracker, name: str) -> None:
    tracker.start([("a", {})])
    with pytest.raises(ValueError, match="relative path"):
        tracker.artifacts("a", {name: "x"})


def test_a_tag_names_the_run_that_gets_it_once(tracker: Tracker, requests: list[str], uri: str) -> None:
    tags = {NOTE: f"![x](get-artifact?path=a.png&run_uuid={THIS_RUN})"}
    tracker.start([TrialRun("a", {}, tags=tags)])
    tracker.note("a", tags)
    run = tracker._children["a"].run_id
    assert tracker._store.run(run).tags[NOTE] == f"![x](get-artifact?path=a.png&run_uuid={run})"
    assert requests.count("log_batch") == 2, "one for the run's tags, one for the count of trials"


def test_what_a_trial_turned_out_to_train_on_is_noted(tracker: Tracker, requests: list[str]) -> None:
    tracker.start([("a", {})])
    told = Note({"tradeoff.host": "node-7"}, Data("ring", "abc", "{}"))
    for _ in range(2):
        tracker.apply("a", [Entry("a", 1, told)])
    assert requests.count("log_inputs") == 1
    tags = tracker._store.run(tracker._children["a"].run_id).tags
    assert (tags["tradeoff.host"], tags["tradeoff.dataset.digest"]) == ("node-7", "abc")
