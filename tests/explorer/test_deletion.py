"""Sweeps on their way to MLflow's trash and back, on a real store."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from explorer.deletion import delete, planned, undo
from explorer.errors import UserError
from explorer.promotion import promote
from explorer.results.store import ResultStore
from explorer.store import deletion_mark
from explorer.store.connection import Connection
from explorer.store.deletion_mark import is_mark
from explorer.store.schema import DELETED, LEASE
from explorer.tracking import Lease, Tracker
from explorer.tracking.lease import Pace
from explorer.tracking.trash import Trash
from tests.stores import empty_store

TRIALS = ("aa11", "bb22", "cc33")


def write(
    uri: str, sweep: str = "demo", experiment: str = "tests", trials: tuple[str, ...] = TRIALS
) -> Tracker:
    tracker = Tracker(uri, experiment)
    tracker.open_sweep(sweep, {"fid": "min"}, "", "name: demo\nresources: {storage: /far/away}\n", "{}")
    tracker.start([(trial, {"seed": i}) for i, trial in enumerate(trials)])
    for trial in trials[:-1]:
        tracker.log(trial, 1, {"fid": 1.0})
        tracker.finish(trial)
    tracker.close_sweep(interrupted=False)
    return tracker


@pytest.fixture(autouse=True)
def quick_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else comes at the same moment here."""
    monkeypatch.setattr("explorer.tracking.lease.PACE", Pace(settle=0.01))


@pytest.fixture
def uri(tmp_path: Path) -> str:
    uri = empty_store(tmp_path)
    write(uri)
    write(uri, "other", trials=TRIALS[:1])
    return uri


def names(uri: str) -> list[str]:
    return sorted(info.name for info in ResultStore(uri).sweeps())


def trials(uri: str, sweep: str = "demo") -> dict[str, str]:
    return {trial.id: trial.run_id for trial in ResultStore(uri).table(sweep)}


def test_a_sweep_goes_whole_and_comes_back_as_it_was(uri: str) -> None:
    before, table = trials(uri), ResultStore(uri).table("demo")
    plan = planned(uri, "demo")
    assert (plan.statuses, plan.begun, plan.checkpoints) == ({"finished": 2, "killed": 1}, False, "/far/away")
    assert delete(plan) == 3
    assert names(uri) == ["other"]
    assert trials(uri, "other"), "what another sweep has stays, also a trial of the same identity"
    back = undo(uri, "demo")
    assert (back.trials, back.experiment) == (3, "tests")
    assert trials(uri) == before
    assert ResultStore(uri).table("demo") == table
    tags = ResultStore(uri).whole_run(back.run_id).tags
    assert DELETED not in tags
    assert LEASE not in tags


def test_promoted_trials_and_registered_models_are_named(uri: str) -> None:
    run = trials(uri)["aa11"]
    promote(uri, run, "best")
    client = Connection(uri).client
    client.create_registered_model("mine")
    client.create_model_version("mine", f"runs:/{run}/model", run)
    client.create_registered_model("another's")
    client.create_model_version("another's", "runs:/x/model", trials(uri, "other")["aa11"])
    plan = planned(uri, "demo")
    assert plan.promoted == {"aa11": "best"}
    assert plan.registered == ("mine version 1",)


class Killed(Exception):
    pass


@contextmanager
def killed_after(changes: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The process ends in the middle: after so many changes."""
    done, real = [], Trash._change

    def change(self: Trash, run: str, work: Callable[[], object]) -> None:
        if len(done) == changes:
            raise Killed
        done.append(run)
        real(self, run, work)

    with monkeypatch.context() as patch:
        patch.setattr(Trash, "_change", change)
        yield


@pytest.mark.parametrize("changes", [0, 2, 4])
def test_a_deletion_that_was_killed_is_finished_by_the_next(
    uri: str, changes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = trials(uri)
    with killed_after(changes, monkeypatch), pytest.raises(Killed):
        delete(planned(uri, "demo"))
    assert names(uri) == ["demo", "other"], "the sweep is found until all of it is gone"
    plan = planned(uri, "demo")
    assert plan.begun == (changes > 0)
    delete(plan)
    assert names(uri) == ["other"]
    undo(uri, "demo")
    assert trials(uri) == before


@pytest.mark.parametrize("changes", [1, 3])
def test_half_a_deletion_is_undone_and_so_is_half_of_that(
    uri: str, changes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = trials(uri)
    with killed_after(4, monkeypatch), pytest.raises(Killed):
        delete(planned(uri, "demo"))
    with killed_after(changes, monkeypatch), pytest.raises(Killed):
        undo(uri, "demo")
    undo(uri, "demo")
    assert trials(uri) == before
    with pytest.raises(UserError, match="in MLflow's trash"):
        undo(uri, "demo")


def test_what_lay_in_the_trash_before_stays_there(uri: str) -> None:
    gone = trials(uri)["bb22"]
    Connection(uri).client.delete_run(gone)
    delete(planned(uri, "demo"))
    assert undo(uri, "demo").trials == 2
    assert gone not in trials(uri).values()


@pytest.mark.parametrize(("deleting", "undoing"), [(0, 0), (1, 1), (3, 3), (5, 4)])
def test_however_many_lay_there_before_they_stay_also_after_interruptions(
    uri: str, deleting: int, undoing: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deletion_mark, "MOST", 1)
    write(uri, "many", trials=tuple(f"{number:04x}" for number in range(7)))
    client, before = Connection(uri).client, trials(uri, "many")
    gone = list(before.values())[:4]
    for run in gone:
        client.delete_run(run)
    left = set(before.values()) - set(gone)
    for _ in range(2):
        with killed_after(deleting, monkeypatch), pytest.raises(Killed):
            delete(planned(uri, "many"))
        delete(planned(uri, "many"))
        with killed_after(undoing, monkeypatch), pytest.raises(Killed):
            undo(uri, "many")
        assert undo(uri, "many").trials == min(3, 4 - undoing), "the sweep's own run comes first"
        assert set(trials(uri, "many").values()) == left
        assert not any(is_mark(key) for key in ResultStore(uri).parent("many").tags)


def test_a_driven_sweep_is_refused_and_untouched(uri: str) -> None:
    with Lease(uri, "tests", "demo") as lease:
        assert lease.take_known()
        with pytest.raises(UserError, match="sweep 'demo' is running already"):
            delete(planned(uri, "demo"))
    assert len(trials(uri)) == 3
    delete(planned(uri, "demo"))


def test_a_new_sweep_of_the_name_is_not_mixed_with_the_old_one(uri: str) -> None:
    delete(planned(uri, "demo"))
    write(uri, trials=("aa11",))
    with pytest.raises(UserError, match="another 'demo' has begun in experiment 'tests' since"):
        undo(uri, "demo")
    assert list(trials(uri)) == ["aa11"]
    delete(planned(uri, "demo"))
    assert undo(uri, "demo").trials == 1, "the one deleted last"


def test_experiments_are_told_apart(uri: str) -> None:
    write(uri, experiment="elsewhere", trials=TRIALS[:2])
    with pytest.raises(UserError, match="say which with --experiment"):
        planned(uri, "demo")
    for experiment in ("elsewhere", "tests"):
        delete(planned(uri, "demo", experiment))
    with pytest.raises(UserError, match="in the trash of several experiments"):
        undo(uri, "demo")
    assert undo(uri, "demo", "elsewhere").trials == 2
    with pytest.raises(UserError, match="no sweep 'nobody' in MLflow's trash"):
        undo(uri, "nobody")


def test_the_mark_is_what_undoing_needs(uri: str) -> None:
    plan = planned(uri, "demo")
    trash = Trash(uri)
    trash.mark(plan.run_id, {DELETED: "no mark of ours"})
    delete(planned(uri, "demo"))
    assert undo(uri, "demo").trials == 3
    trash.mark(plan.run_id, {DELETED: json.dumps({"before": [1, None, trials(uri)["aa11"]]})})
    delete(planned(uri, "demo"))
    assert undo(uri, "demo").trials == 2
