"""Readings that are added to trials that are over: beside those of the sweep, in place of earlier ones, never else."""

from __future__ import annotations

import logging
from math import nan
from pathlib import Path

import pytest
from mlflow import MlflowClient

from explorer.errors import UserError
from explorer.results.cache import Memory
from explorer.results.store import ResultStore
from explorer.results.table import Trial
from explorer.store.schema import PLAIN, REVISION, At
from explorer.tracking import Tracker
from explorer.tracking.entries import Entry, Fail, Finish, Log, Start
from explorer.tracking.readings import ADDED, add_readings
from tests.stores import empty_store

OWN, MORE, OTHER = At("obrs", 2.0), At("obrs", 4.0), At("drs", 1.5)


@pytest.fixture(scope="module")
def uri(tmp_path_factory: pytest.TempPathFactory) -> str:
    return empty_store(tmp_path_factory.mktemp("store"))


@pytest.fixture
def sweep(uri: str, request: pytest.FixtureRequest) -> str:
    """A sweep with a finished trial ``a``, which it read at K = 2, a failed one and one that was killed."""
    name = str(request.node.name)
    tracker = Tracker(uri, "tests")
    tracker.open_sweep(name, {"fid": "min"}, "", "name: x\n", '{"metrics": []}')
    told = {"fid": 3.0, "precision": 0.5, "obrs/2/fid": 2.0, "obrs/2/acceptance": 0.5}
    read = Log(7, told, {PLAIN: "own", OWN: "read"}, "[]")
    tracker.apply(
        "a", [Entry("a", 1000, Start({"seed": 1})), Entry("a", 1001, read), Entry("a", 1002, Finish())]
    )
    tracker.apply("b", [Entry("b", 1000, Start({"seed": 2})), Entry("b", 1002, Fail("it diverged"))])
    tracker.apply("c", [Entry("c", 1000, Start({"seed": 3})), Entry("c", 1001, Log(1, {"fid": 9.0}))])
    tracker.close_sweep(interrupted=False)
    return name


def trial(uri: str, sweep: str, name: str = "a") -> Trial:
    (found,) = [one for one in ResultStore(uri).table(sweep) if one.id == name]
    return found


def kept_file(uri: str, run: str, folder: Path) -> str:
    found = ResultStore(uri).fetched(run, "found.json", folder)
    assert found is not None
    return found.read_text()


def revision(uri: str, sweep: str) -> str | None:
    return ResultStore(uri).parent(sweep).tags.get(REVISION)


def add(uri: str, run: str, **changes: dict[At, dict[str, float]]) -> list[At]:
    readings = changes.get("readings", {MORE: {"fid": 1.0, "precision": 0.9}})
    return add_readings(uri, run, readings, dict.fromkeys(readings, f"{ADDED}mark"), {"found.json": "{}"})


def test_readings_stand_beside_those_of_the_sweep(uri: str, sweep: str, tmp_path: Path) -> None:
    before = trial(uri, sweep)
    assert add(uri, before.run_id, readings={MORE: {"fid": 1.0, "precision": 0.9}, OTHER: {"fid": 1.5}}) == []
    after = trial(uri, sweep)
    added = {MORE: {"fid": 1.0, "precision": 0.9}, OTHER: {"fid": 1.5}}
    assert after.readings == {**before.readings, **added}
    assert after.marks == {PLAIN: "own", OWN: "read", MORE: "+mark", OTHER: "+mark"}
    assert (after.status, after.ended, after.params) == ("finished", 1002, before.params)
    assert kept_file(uri, after.run_id, tmp_path) == "{}"
    history = ResultStore(uri).history(after.run_id, "drs/1.5/fid")
    assert history == [(7, 1.5)], "at the step of the trial's last evaluation"


def test_what_the_sweep_read_itself_stays_and_is_told(uri: str, sweep: str) -> None:
    run = trial(uri, sweep).run_id
    assert add(uri, run, readings={OWN: {"fid": 0.0}, MORE: {"fid": 1.0}}) == [OWN]
    after = trial(uri, sweep)
    assert after.at(OWN) == {"fid": 2.0, "acceptance": 0.5}
    assert after.at(MORE) == {"fid": 1.0}
    assert (after.marks[OWN], after.marks[MORE]) == ("read", "+mark")


def test_where_all_stay_files_are_kept_all_the_same(uri: str, sweep: str, tmp_path: Path) -> None:
    before = trial(uri, sweep)
    assert add(uri, before.run_id, readings={OWN: {"fid": 0.0}}) == [OWN]
    assert trial(uri, sweep).readings == before.readings
    assert trial(uri, sweep).marks == before.marks
    assert kept_file(uri, before.run_id, tmp_path) == "{}"


def test_what_was_added_before_is_replaced(
    uri: str, sweep: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run = trial(uri, sweep).run_id
    add(uri, run, readings={MORE: {"fid": 1.0, "recall": 0.5, "recall.low": 0.4}, OTHER: {"fid": 1.5}})
    with caplog.at_level(logging.WARNING):
        left = add_readings(
            uri, run, {MORE: {"fid": 0.7, "recall": 0.6}}, {MORE: "+other"}, {"found.json": "[1]"}
        )
    assert left == []
    assert caplog.records == []
    after = trial(uri, sweep)
    assert after.at(MORE) == {"fid": 0.7, "recall": 0.6}, "and of the interval nothing is left"
    assert after.at(OTHER) == {"fid": 1.5}
    assert (after.marks[MORE], after.marks[OTHER], after.marks[OWN]) == ("+other", "+mark", "read")
    assert kept_file(uri, run, tmp_path) == "[1]"


def test_the_same_again_is_stored_once(uri: str, sweep: str) -> None:
    run = trial(uri, sweep).run_id
    add(uri, run)
    first = trial(uri, sweep)
    assert add(uri, run) == []
    assert trial(uri, sweep) == first
    assert ResultStore(uri).history(run, "obrs/4/fid") == [(7, 1.0)]


def test_who_has_read_the_sweep_sees_the_news(uri: str, sweep: str) -> None:
    store, memory = ResultStore(uri), Memory()
    store.table(sweep, known=memory)
    store.table(sweep, known=memory)
    before = revision(uri, sweep)
    add(uri, trial(uri, sweep).run_id)
    (seen,) = [one for one in store.table(sweep, known=memory) if one.id == "a"]
    assert seen.at(MORE) == {"fid": 1.0, "precision": 0.9}
    after = revision(uri, sweep)
    assert after != before
    add(uri, seen.run_id, readings={OTHER: {"fid": 1.5}})
    assert revision(uri, sweep) not in (before, after)


def test_a_value_that_is_no_number_takes_the_place_of_an_older_one(uri: str, sweep: str) -> None:
    run = trial(uri, sweep).run_id
    add(uri, run)
    add_readings(uri, run, {MORE: {"fid": nan, "precision": 0.8}}, {MORE: "+later"}, {})
    found = trial(uri, sweep).at(MORE)
    assert found["precision"] == 0.8
    assert found.get("fid", nan) != 1.0


@pytest.mark.parametrize(("name", "status"), [("b", "failed"), ("c", "killed")])
def test_a_trial_that_is_not_finished_is_refused(uri: str, sweep: str, name: str, status: str) -> None:
    before = trial(uri, sweep, name)
    with pytest.raises(UserError) as refusal:
        add(uri, before.run_id)
    assert str(refusal.value) == (
        f"readings are added to a trial that is finished, and run {before.run_id} is {status}"
    )
    assert trial(uri, sweep, name) == before


def test_a_deleted_run_is_refused(uri: str, sweep: str) -> None:
    run = trial(uri, sweep).run_id
    before = revision(uri, sweep)
    client = MlflowClient(uri)
    client.delete_run(run)
    with pytest.raises(UserError) as refusal:
        add(uri, run)
    assert str(refusal.value) == (
        f"readings are added to a trial that is there, and run {run} is deleted; restore it in MLflow, or "
        "choose another"
    )
    client.restore_run(run)
    assert At("obrs", 4.0) not in trial(uri, sweep).readings
    assert revision(uri, sweep) == before


def test_a_store_that_is_not_there_is_told_in_a_sentence(uri: str, tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"^tracking store '.*none.db' must be a SQLite file, and there is none;"
    ):
        add(f"sqlite:///{tmp_path / 'none.db'}", "0" * 32)
    assert not (tmp_path / "none.db").exists()
    with pytest.raises(UserError, match=r"0{32}.*not found"):
        add(uri, "0" * 32)


def test_artifacts_that_nobody_can_write_are_told_and_no_reading_is_added(uri: str, sweep: str) -> None:
    run = trial(uri, sweep).run_id
    folder = Path(MlflowClient(uri).get_run(run).info.artifact_uri.removeprefix("file://"))
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("a file stands there")
    with pytest.raises(
        UserError, match=r"^tracking store '.*' fails \(Not a directory\); make room or mend it"
    ):
        add(uri, run)
    assert MORE not in trial(uri, sweep).readings


def test_a_run_without_a_sweep_has_no_one_to_tell(uri: str) -> None:
    client = MlflowClient(uri)
    run = client.create_run(client.create_experiment("alone")).info.run_id
    client.log_metric(run, "fid", 2.0, step=4)
    client.set_terminated(run)
    assert add(uri, run) == []
    assert client.get_run(run).data.metrics == {"fid": 2.0, "obrs/4/fid": 1.0, "obrs/4/precision": 0.9}
