"""One driver per sweep on a store: real processes, as of one machine and of two, on a file and on a server."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from explorer.errors import UserError
from explorer.results.store import ResultStore
from explorer.store.connection import Connection
from explorer.store.holders import Holder
from explorer.store.schema import LEASE
from explorer.tracking import Lease, LeaseLost, Tracker
from explorer.tracking.lease import Pace, RunGone
from tests.explorer.tracking.driving import Driver, first_to_speak
from tests.stores import empty_store

QUICK = Pace(renew=0.4, left=2.5, settle=0.2)


@pytest.fixture
def drive() -> Any:
    begun: list[Driver] = []

    def start(*arguments: str, together: bool = False) -> Driver:
        begun.append(Driver(*arguments, together=together))
        return begun[-1]

    yield start
    for driver in begun:
        driver.kill()


@pytest.fixture(scope="module", params=["file", "server"])
def uri(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    if request.param == "server":
        return f"http://127.0.0.1:{request.getfixturevalue('server')}"
    return empty_store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    return empty_store(tmp_path_factory.mktemp("file"))


@pytest.fixture
def sweep(request: pytest.FixtureRequest) -> str:
    return str(request.node.name)


def parent(uri: str, sweep: str) -> Any:
    store = Connection(uri)
    experiment = store.client.get_experiment_by_name("tests").experiment_id
    (run,) = [
        r for r in store.search([experiment], {"tradeoff.kind": "sweep"}) if r.tags["tradeoff.sweep"] == sweep
    ]
    return run


def leased(uri: str, sweep: str) -> Holder | None:
    return Holder.parse(parent(uri, sweep).tags.get(LEASE))


on_both = pytest.mark.parametrize(
    "uri", ["file", pytest.param("server", marks=pytest.mark.slow)], indirect=True
)
"""A server is asked for the same: that it is asked is tried by the one test that always runs on both."""


def test_a_second_driver_is_refused_until_the_first_ends(uri: str, sweep: str, drive: Any) -> None:
    first = drive(uri, sweep)
    assert first.line() == "held"
    with Lease(uri, "tests", sweep, pace=QUICK) as mine, pytest.raises(UserError) as refusal:
        mine.take_known()
    assert f"sweep '{sweep}' is running already on " in str(refusal.value)
    assert f"(process {first.pid})" in str(refusal.value)
    assert first.end() == []
    assert leased(uri, sweep) is None, "given back at the end"
    with Lease(uri, "tests", sweep, pace=QUICK) as mine:
        assert mine.take_known()


def test_a_killed_driver_of_this_machine_leaves_it_free_at_once(file: str, sweep: str, drive: Any) -> None:
    first = drive(file, sweep)
    assert first.line() == "held"
    first.send(signal.SIGKILL)
    first.wait()
    told: list[str] = []
    with Lease(file, "tests", sweep, told.append, Pace(left=1e9)) as mine:
        assert mine.take_known()
        now = leased(file, sweep)
        assert now is not None
        assert now.process == os.getpid()
    assert told == []


def test_a_driver_of_another_machine_is_waited_for_and_seen_to_live(
    file: str, sweep: str, drive: Any
) -> None:
    far = drive(file, sweep, "far-away")
    assert far.line() == "held"
    told: list[str] = []
    with (
        Lease(file, "tests", sweep, told.append, Pace(0.4, 60.0, 0.2)) as mine,
        pytest.raises(UserError, match=rf"is running already on far-away \(process {far.pid}\)"),
    ):
        mine.take_known()
    assert told == [f"waiting to see whether sweep '{sweep}' still runs on far-away (process {far.pid})"]
    assert far.end() == []


def test_a_killed_driver_of_another_machine_loses_it_after_a_while(file: str, sweep: str, drive: Any) -> None:
    far = drive(file, sweep, "far-away")
    assert far.line() == "held"
    far.send(signal.SIGKILL)
    far.wait()
    near = drive(file, sweep)
    assert near.line().startswith("waiting to see whether ")
    assert near.line() == "held"
    assert near.end() == []


@on_both
def test_of_a_frozen_driver_that_wakes_and_its_successor_one_stops_and_marks_nothing(
    uri: str, sweep: str, drive: Any
) -> None:
    """The one that wakes, unless it was frozen while it wrote its name: then that name is written after all."""
    far = drive(uri, sweep, "far-away")
    assert far.line() == "held"
    far.send(signal.SIGSTOP)
    near = drive(uri, sweep)
    assert near.line().startswith("waiting to see whether ")
    assert near.line() == "held"
    far.send(signal.SIGCONT)
    stops, stays = (far, near) if first_to_speak(far, near) is far else (near, far)
    said = stops.line()
    assert said.startswith(f"refused: sweep '{sweep}' is driven by another process on ")
    assert f"(process {stays.pid})" in said
    assert stops.wait() == 2
    (trial,) = ResultStore(uri).table(sweep)
    assert (trial.status, parent(uri, sweep).status) == ("running", "running")
    holder = leased(uri, sweep)
    assert holder is not None
    assert holder.process == stays.pid
    assert stays.end() == []
    (trial,) = ResultStore(uri).table(sweep)
    assert (trial.status, parent(uri, sweep).status) == ("killed", "killed")


def test_one_that_slept_after_it_looked_looks_again_before_it_writes(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    asleep, awake = threading.Event(), threading.Event()

    class Sleepy(Lease):
        """Its thread falls asleep between looking and writing."""

        def _read(self, store: Connection, run: str) -> Holder | None:
            seen = super()._read(store, run)
            if threading.current_thread().name == "lease" and not asleep.is_set():
                asleep.set()
                awake.wait()
            return seen

    pace = Pace(renew=0.1, left=0.4, settle=0.1)
    other = replace(Holder.here(), host="far-away", process=1, id="other")
    with Sleepy(uri, "tests", "s", pace=pace) as mine:
        Tracker(uri, "tests", lease=mine).open_sweep("s", {"fid": "min"}, "", "name: x", '{"metrics": []}')
        assert asleep.wait(60)
        Connection(uri).client.set_tag(parent(uri, "s").run_id, LEASE, other.text())
        threading.Timer(pace.left, awake.set).start()
        with pytest.raises(KeyboardInterrupt):
            threading.Event().wait(60)
        with pytest.raises(LeaseLost, match="far-away"):
            mine.check()
    assert leased(uri, "s") == other


@on_both
def test_of_drivers_that_begin_a_new_sweep_together_one_goes_on(uri: str, sweep: str, drive: Any) -> None:
    drivers = [drive(uri, sweep, host, together=True) for host in ("", "", "far-away")]
    for driver in drivers:
        assert driver.line() == "ready"
    for driver in drivers:
        driver.go_on()
    said = [driver.line() for driver in drivers]
    said = [
        driver.line() if first.startswith("waiting") else first
        for driver, first in zip(drivers, said, strict=True)
    ]
    assert said.count("held") == 1, said
    assert sum(line.startswith("refused: sweep ") for line in said) == 2, said
    holder = leased(uri, sweep)
    assert holder is not None
    assert holder.process == drivers[said.index("held")].pid


def test_who_write_first_at_once_are_not_refused(tmp_path: Path) -> None:
    """MLflow looks for a tag and then puts it there: of several who found none, all but one fail the first time."""
    uri = empty_store(tmp_path)
    client = Connection(uri).client
    experiment = client.create_experiment("tests")
    stores = [Connection(uri) for _ in range(4)]
    with ThreadPoolExecutor(len(stores)) as pool:
        for run in [client.create_run(experiment).info.run_id for _ in range(10)]:
            held = [Holder.here() for _ in stores]
            list(pool.map(Lease._write, stores, [run] * len(stores), held))
            assert Holder.parse(client.get_run(run).data.tags[LEASE]) in held


def test_an_older_run_that_comes_to_light_meanwhile_takes_the_place_of_ours(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    client = Connection(uri).client
    taken: list[str] = []

    class Overtaken(Lease):
        """Before it writes, another launch's run, begun earlier, becomes visible, and that launch removes ours."""

        def take(self, run: str) -> None:
            taken.append(run)
            if len(taken) == 1:
                tags = {"tradeoff.kind": "sweep", "tradeoff.sweep": "s"}
                client.create_run(client.get_run(run).info.experiment_id, start_time=1, tags=tags)
                client.delete_run(run)
            super().take(run)

    with Overtaken(uri, "tests", "s", pace=QUICK) as mine:
        tracker = Tracker(uri, "tests", lease=mine)
        tracker.open_sweep("s", {"fid": "min"}, "", "name: x", '{"metrics": []}')
        assert taken == [taken[0], parent(uri, "s").run_id]
        assert taken[0] != taken[1]
        with pytest.raises(RunGone, match=taken[0]):
            Lease(uri, "tests", "s", pace=QUICK).take(taken[0])
        holder = leased(uri, "s")
        assert holder is not None
        assert holder.process == os.getpid()


def test_neither_store_nor_run_is_made_to_look(tmp_path: Path) -> None:
    with Lease(f"sqlite:///{tmp_path / 'mlflow.db'}", "tests", "new") as mine:
        assert not mine.take_known()
    assert list(tmp_path.iterdir()) == []
    uri = empty_store(tmp_path)
    with Lease(uri, "tests", "new") as mine:
        assert not mine.take_known()
    assert Connection(uri).client.get_experiment_by_name("tests") is None


def test_one_that_this_process_could_not_give_back_is_no_hindrance(tmp_path: Path) -> None:
    uri = empty_store(tmp_path)
    tracker = Tracker(uri, "tests")
    tracker.open_sweep("s", {"fid": "min"}, "", "name: x", '{"metrics": []}')
    run = parent(uri, "s").run_id
    Connection(uri).client.set_tag(run, LEASE, Holder.here().text())
    with Lease(uri, "tests", "s", pace=QUICK) as mine:
        assert mine.take_known()
        with (
            Lease(uri, "tests", "s", pace=QUICK) as other,
            pytest.raises(UserError, match="is running already"),
        ):
            other.take(run)


def test_a_server_that_is_away_ends_nothing(link: Any) -> None:
    with Lease(link.uri, "tests", "away", pace=QUICK) as mine:
        tracker = Tracker(link.uri, "tests", lease=mine)
        tracker.open_sweep("away", {"fid": "min"}, "", "name: x", '{"metrics": []}')
        link.down()
        time.sleep(4 * QUICK.renew)
        link.up()
        before = leased(link.uri, "away")
        assert before is not None
        for _ in range(100):
            now = leased(link.uri, "away")
            assert now is not None
            if now.beat > before.beat:
                break
            time.sleep(0.1)
        assert now.beat > before.beat
        tracker.start([("a", {})])
        mine.check()
    assert leased(link.uri, "away") is None


def test_nothing_is_written_once_it_is_anothers(tmp_path: Path) -> None:
    uri, other = empty_store(tmp_path), Holder("other", "far-away", "far-away", 7, "")
    with pytest.raises(LeaseLost, match="driven by another process on far-away"):
        _displaced(uri, other)
    assert leased(uri, "s") == other, "what is another's is not given back"
    (trial,) = ResultStore(uri).table("s")
    assert (trial.status, dict(trial.metrics)) == ("running", {})


def _displaced(uri: str, other: Holder) -> None:
    with Lease(uri, "tests", "s", pace=QUICK) as mine:
        tracker = Tracker(uri, "tests", lease=mine)
        tracker.open_sweep("s", {"fid": "min"}, "", "name: x", '{"metrics": []}')
        tracker.start([("a", {})])
        Connection(uri).client.set_tag(parent(uri, "s").run_id, LEASE, other.text())
        try:
            time.sleep(60)
            raise AssertionError("the driver was not interrupted")
        except KeyboardInterrupt:
            for write in (
                lambda: tracker.log("a", 1, {"fid": 1.0}),
                lambda: tracker.start([("b", {})]),
                lambda: tracker.finish("a"),
                lambda: tracker.close_sweep(interrupted=True),
            ):
                with pytest.raises(LeaseLost):
                    write()
            raise
