"""Ray in a process of its own: packs go in, results come out; it can be refused, killed and started again."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from explorer.errors import UserError
from explorer.launch.engine.engine import Engine, EngineLost, joined_address
from explorer.launch.engine.messages import (
    Close,
    Decide,
    Died,
    Event,
    Opening,
    Put,
    Stop,
    Taken,
    Told,
    Verdict,
)
from explorer.sweep.resources import ResourceSpec
from tests.explorer.launch.packs import order
from tests.explorer.launch.small import configs, small_sweep
from tests.processes import alive, descendants, named

pytestmark = pytest.mark.cluster

Opened = Callable[..., Engine]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    engines = []

    def open_one(address: str | None, **resources: Any) -> Engine:
        engines.append(Engine(tmp_path / "ray.log"))
        engines[-1].open(Opening(address, ResourceSpec(**resources)))
        for _ in engines[-1].wait():
            pass
        return engines[-1]

    yield open_one
    for engine in engines:
        engine.kill()


@pytest.fixture(scope="module")
def shared(ray_address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """One for several tests, with packs under names of their own; who closes it comes last."""
    engine = Engine(tmp_path_factory.mktemp("shared") / "ray.log")
    engine.open(Opening(ray_address, ResourceSpec()))
    for _ in engine.wait():
        pass
    yield engine
    engine.kill()


def events(engine: Engine, until: Callable[[Event], bool]) -> list[Event]:
    """What happens until something does."""
    heard: list[Event] = []
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        event = engine.next(0.5)
        heard += [] if event is None else [event]
        if event is not None and until(event):
            return heard
    raise AssertionError(f"it did not happen: {heard}")


def left_alive(processes: list[int]) -> list[int]:
    """Those that do not end: of a group that is killed they end one by one."""
    deadline = time.monotonic() + 10
    while any(map(alive, processes)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return [pid for pid in processes if alive(pid)]


def is_over(pack: str) -> Callable[[Event], bool]:
    return lambda event: isinstance(event, Told) and event.pack == pack and bool(event.result.get("done"))


def test_packs_are_worked_on_in_lanes_that_are_used_again(shared: Engine, tmp_path: Path) -> None:
    engine = shared
    assert (engine.slots.count, engine.slots.gpu, engine.gpus) == (2, False, 0.0)
    sweep = small_sweep(tmp_path)
    for name in ("first", "second"):
        engine.send(Put(name, order(sweep)))
        heard = events(engine, is_over(name))
        assert isinstance(heard[0], Taken)
    engine.send(Put("broken", {**order(sweep), "pack": "{}"}))
    heard = events(engine, is_over("broken"))
    assert isinstance(heard[-1], Told)
    assert heard[-1].result["failed"] == "KeyError: 'plugins'", "told at once, and the lane goes on"


def test_trials_wait_at_a_rung_until_they_are_told(shared: Engine, tmp_path: Path) -> None:
    engine = shared
    sweep = small_sweep(tmp_path)
    first, second = configs(sweep)
    engine.send(Put("rung", order(sweep, end=4, final=False)))
    heard = events(engine, lambda event: isinstance(event, Told) and "waiting" in event.result)
    assert isinstance(heard[-1], Told)
    assert heard[-1].result["waiting"] == [first, second]
    engine.send(Decide("rung", Verdict({first: (8, True)}, {second: "halved: for a test"})))
    heard = events(engine, is_over("rung"))
    assert sorted(path.name for path in tmp_path.rglob("*.pt")) == ["4.pt", "8.pt"]


def test_it_leaves_a_cluster_by_itself_while_lanes_are_idle(shared: Engine) -> None:
    shared.close()
    assert shared._process.returncode == 0, "nobody had to kill it"
    with pytest.raises(EngineLost):
        shared.send(Close())


@pytest.mark.slow  # a whole sweep that is interrupted, in the tests of resume, shows the same
def test_who_is_asked_to_stop_saves_first(opened: Opened, ray_address: str, tmp_path: Path) -> None:
    engine = opened(ray_address)
    sweep = small_sweep(
        tmp_path, training={"iterations": 10**6, "batch_size": 8}, evaluation={"every": 10**6}
    )
    engine.send(Put("long", order(sweep)))
    events(engine, lambda event: isinstance(event, Told) and event.pack == "long")
    assert not list(tmp_path.rglob("*.pt"))
    engine.send(Stop())
    heard = events(engine, lambda event: isinstance(event, Told) and "saved" in event.result)
    assert heard
    assert len(list(tmp_path.rglob("*.pt"))) == 2


@pytest.mark.slow
def test_a_lane_that_is_killed_is_told_and_started_again(opened: Opened, tmp_path: Path) -> None:
    engine = opened(None)
    sweep = small_sweep(
        tmp_path, training={"iterations": 10**6, "batch_size": 8}, evaluation={"every": 10**6}
    )
    engine.send(Put("p", order(sweep)))
    heard = events(engine, lambda event: isinstance(event, Told))
    started = descendants(engine._process.pid)
    for worker in named("Trainable", among=started):  # which is what Ray calls a lane
        os.kill(worker, signal.SIGKILL)
    heard = events(engine, lambda event: isinstance(event, Died))
    assert isinstance(heard[-1], Died)
    assert heard[-1].death.kind == "process"
    engine.send(Put("q", order(small_sweep(tmp_path / "other"))))
    events(engine, is_over("q"))
    room, started = engine._process, descendants(engine._process.pid)
    engine.close()
    assert room.returncode == 0, "nobody had to kill it"
    assert left_alive(started) == [], "and a Ray of its own ends with it"


@pytest.mark.parametrize(
    "victim", ["raylet", *(pytest.param(v, marks=pytest.mark.slow) for v in ("gcs_server", "room"))]
)
def test_ray_that_dies_is_lost_within_seconds_and_another_can_be_had(opened: Opened, victim: str) -> None:
    engine = opened(None)
    room = engine._process.pid
    started = descendants(room)
    victims = [room] if victim == "room" else named(f"/{victim} ", among=descendants(room))
    assert victims
    for process in victims:
        os.kill(process, signal.SIGKILL)
    with pytest.raises(EngineLost, match="died"):
        events(engine, lambda event: False)
    engine.kill()
    assert left_alive([room, *started]) == [], "nothing is left of it"


def test_what_can_never_run_is_refused(opened: Opened, ray_address: str) -> None:
    with pytest.raises(UserError, match="a pack asks for 3 CPUs and 0 GPUs, the cluster has 2 and 0"):
        opened(ray_address, cpus=3.0)
    with pytest.raises(UserError, match=r"no Ray cluster answers at '127\.0\.0\.1:1'"):
        opened("127.0.0.1:1")


def test_a_process_without_ray_goes_where_it_is_told() -> None:
    assert joined_address("1.2.3.4:5") == "1.2.3.4:5"
    assert joined_address(None) is None
