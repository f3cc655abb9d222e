"""The list of sweeps, counted in the file, and of what only the sweeps' own runs tell."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from explorer.results.listing import listed_sweeps
from explorer.results.store import ResultStore
from explorer.store.connection import Connection
from explorer.store.holders import Holder
from explorer.store.schema import LEASE
from explorer.tracking import Tracker
from tests.stores import empty_store


@pytest.fixture
def uri(tmp_path: Path) -> str:
    uri = empty_store(tmp_path)
    tracker = Tracker(uri, "tests")
    tracker.open_sweep("old", {"fid": "min", "recall": "max"}, "", "", "{}")
    tracker.start([(name, {}) for name in ("aa", "bb", "cc", "dd")])
    for trial, fid in (("aa", 3.0), ("bb", 2.0), ("cc", math.nan)):
        tracker.log(trial, 1, {"fid": fid, "recall": fid / 10})
        tracker.finish(trial)
    tracker.log("dd", 1, {"fid": 0.0})
    tracker.fail("dd", "no memory")
    tracker.close_sweep(interrupted=False)
    tracker = Tracker(uri, "tests")
    tracker.open_sweep("new", {"fid": "min"}, "", "", "{}")
    tracker.start([("aa", {})])
    return uri


def test_sweeps_are_counted_and_their_best_is_that_of_finished_trials(uri: str) -> None:
    new, old = listed_sweeps(ResultStore(uri))
    assert (old.info.name, old.counts) == ("old", {"finished": 3, "failed": 1})
    assert old.best == {"fid": 2.0, "recall": pytest.approx(0.3)}
    assert (new.info.name, new.counts, new.best) == ("new", {"running": 1}, {})
    json.dumps([new.document(), old.document()], allow_nan=False)


def test_what_the_sweeps_own_run_tells_is_told_of_any_store(
    uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ResultStore(uri)
    run = store.parent("old").run_id
    for key, value in (
        ("front_size", 2),
        ("hypervolume", 0.5),
        ("trials_finished", 3),
        ("trials_failed", 1),
        ("best/fid", 2.0),
    ):
        Connection(uri).client.log_metric(run, key, value)
    swift = listed_sweeps(ResultStore(uri))[1]
    monkeypatch.setattr(ResultStore, "swiftly", lambda self, ask: None)
    far = listed_sweeps(store)[1]
    for one in (swift, far):
        assert (one.front, one.hypervolume, one.counts) == (2, 0.5, {"finished": 3, "failed": 1})
        assert one.best["fid"] == 2.0


@pytest.mark.parametrize(("holder", "driven"), [("here", True), ("dead", False), ("far", None), ("", None)])
def test_a_sweep_that_lost_its_driver_is_told_from_one_that_runs(
    uri: str, holder: str, driven: object
) -> None:
    me = Holder.here()
    others = {
        "here": me,
        "dead": Holder("x", me.host, me.machine, me.process, "never"),
        "far": Holder("x", "far", "another", 1, ""),
    }
    if holder:
        Connection(uri).client.set_tag(ResultStore(uri).parent("new").run_id, LEASE, others[holder].text())
    assert listed_sweeps(ResultStore(uri))[0].driven is driven
