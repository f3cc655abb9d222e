"""The conductor hands out packs, bears losses as far as it is told, and stops in order."""

from __future__ import annotations

import pickle
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from explorer.errors import UserError
from explorer.goals import parse_goals
from explorer.launch.conductor import Conductor, Limits
from explorer.launch.earlier import Earlier
from explorer.launch.engine.engine import EngineLost
from explorer.launch.engine.messages import (
    Close,
    Decide,
    Died,
    Event,
    Failed,
    Put,
    Request,
    Stop,
    Taken,
    Told,
)
from explorer.launch.faults import Death
from explorer.launch.inbox import Inbox
from explorer.launch.interrupts import Interrupts
from explorer.launch.ledger import Ledger
from explorer.launch.packing import Orders, Pack, PlannedTrial
from explorer.launch.progress import Progress
from explorer.launch.rungs import Rungs
from explorer.launch.slots import Slots
from explorer.search.points.source import GridSource
from explorer.sweep.sweep import Sweep
from tests.explorer.launch.small import made_up, small_sweep, stored
from tests.explorer.launch.small import recorder as made_recorder

GOALS = parse_goals({"fid": "min"})

Strike = Callable[[Pack, int], Death | str | None]
"""What befalls a pack at its n-th start: its death, ``lost`` with all of Ray, or nothing."""


@dataclass
class Bench:
    """Works without Ray: packs are trained in no time, in a random order, and struck as a test wants it."""

    strike: Strike
    seed: int = 0
    slots: Slots = field(default_factory=lambda: Slots(2, gpu=False))
    starts: dict[str, int] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._orders: deque[Put] = deque()
        self._events: deque[Event | str] = deque()
        self._resting: dict[str, list[PlannedTrial]] = {}
        self._dice = random.Random(self.seed)
        self.closed = False

    def send(self, request: Request) -> None:
        if isinstance(request, Put):
            self._orders.append(request)
        elif isinstance(request, Decide):
            self._go_on(request)
        elif isinstance(request, Stop):
            self._orders.clear()

    def close(self) -> None:
        self.send(Close())
        self.closed = True

    def kill(self) -> None:
        self.closed = True

    def next(self, patience: float) -> Event | None:
        if not self._events and self._orders:
            self._begin(self._orders.popleft())
        event = self._events.popleft() if self._events else None
        if isinstance(event, str):
            raise EngineLost(Death("node", "Ray's processes died"))
        return event

    def _begin(self, order: Put) -> None:
        pack, _ = Pack.from_json(order.config["pack"])
        self.sizes.append(len(pack.trials))
        for trial in pack.trials:
            self.starts[trial.id] = self.starts.get(trial.id, 0) + 1
        self._events.append(Taken(order.pack, order.pack))
        struck = self.strike(pack, max(self.starts[trial.id] for trial in pack.trials))
        if isinstance(struck, Death):
            self._events.append(Died(order.pack, struck))
        elif struck == "failed":
            self._events.append(Failed(order.pack, "OSError: full"))
        elif struck == "lost":
            self._events.append("lost")
        else:
            self._train(order.pack, list(pack.trials))

    def _train(self, name: str, trials: list[PlannedTrial]) -> None:
        final = trials[0].final
        told = {t.id: (made_up(t.end, final), None) for t in trials}
        result: dict[str, Any] = {"reached": 0, "done": final, "payload": pickle.dumps(told)}
        if not final:
            self._resting[name] = trials
            result["waiting"] = [t.id for t in trials]
        self._events.append(Told(name, result))

    def _go_on(self, request: Decide) -> None:
        trials = {t.id: t for t in self._resting.pop(request.pack)}
        goes = [
            PlannedTrial(t, trials[t].config, trials[t].end, end, final=final)
            for t, (end, final) in request.verdict.go_on.items()
        ]
        stops = {t: (made_up(trials[t].end, True), None) for t in request.verdict.stop}
        payload = pickle.dumps(stops)
        self._events.append(Told(request.pack, {"reached": 0, "done": not goes, "payload": payload}))
        if goes:
            self._train(request.pack, goes)


@dataclass
class Stage:
    """A sweep on the bench, with real books and a real store."""

    sweep: Sweep
    strike: Strike = lambda pack, start: None
    limits: Limits = field(default_factory=lambda: Limits(retries=2))
    pack: int = 64
    seed: int = 0

    def __post_init__(self) -> None:
        self.heard = StringIO()
        self.benches: list[Bench] = []
        self.starts: dict[str, int] = {}
        rungs = Rungs(self.sweep.stopping, self.sweep.search.goals())
        self.ledger = Ledger(self.sweep, GridSource(self.sweep.space), Earlier(), lambda trial: 0, rungs)
        self.recorder = made_recorder(self.sweep)
        self.interrupts = Interrupts(lambda: None)

    def open(self) -> Bench:
        self.benches.append(Bench(self.strike, self.seed, starts=self.starts))
        return self.benches[-1]

    def run(self) -> Conductor:
        with Progress(Console(file=self.heard, width=300), 2, 16, GOALS) as progress:
            inbox = Inbox(self.ledger, self.recorder, progress)
            conductor = Conductor(
                self.ledger,
                inbox,
                Orders.of(self.sweep),
                {},
                self.limits,
                lambda slots: self.ledger.refill(10, self.pack),
                Path("ray.log"),
            )
            try:
                conductor.run(self.open, self.open(), self.interrupts)
            finally:
                self.recorder.close(interrupted=bool(self.ledger.unsettled()))
        return conductor

    def statuses(self) -> list[tuple[str, str | None]]:
        return sorted((t.status, t.outcome) for t in stored(self.sweep).values())


FOUR = {"objective.lam": [1, 2, 3, 4]}
KILLED = Death("process", "its process was killed")


def test_every_trial_is_trained_once(tmp_path: Path) -> None:
    stage = Stage(small_sweep(tmp_path, space=FOUR), pack=2)
    stage.run()
    assert stage.statuses() == [("finished", None)] * 4
    assert set(stage.starts.values()) == {1}
    assert all(bench.closed for bench in stage.benches)


def test_a_pack_that_is_lost_starts_again_then_in_halves_until_the_culprit_is_alone(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, space=FOUR)

    def strike(pack: Pack, start: int) -> Death | None:
        return KILLED if any(t.config.params()["objective.lam"] == 3 for t in pack.trials) else None

    stage = Stage(sweep, strike, Limits(retries=3))
    stage.run()
    assert stage.statuses() == [("failed", "process")] + [("finished", None)] * 3
    assert stage.benches[0].sizes[:4] == [4, 4, 2, 2], "first together, then in halves"
    assert "a pack of 4 starts again: its process was killed" in stage.heard.getvalue()
    assert "a pack of 4 starts again in halves" in stage.heard.getvalue()
    assert "1 trial failed: its process was killed" in stage.heard.getvalue()


def test_for_want_of_memory_a_pack_is_halved_at_once(tmp_path: Path) -> None:
    short = Death("memory", "there was none left")
    stage = Stage(
        small_sweep(tmp_path, space=FOUR), lambda pack, start: short if len(pack.trials) > 1 else None
    )
    stage.run()
    assert stage.statuses() == [("finished", None)] * 4
    assert sorted(stage.benches[0].sizes) == [1, 1, 1, 1, 2, 2, 4]


def test_nodes_may_be_lost_more_often_than_trials_are_retried(tmp_path: Path) -> None:
    gone = Death("node", "its node was lost")
    stage = Stage(small_sweep(tmp_path), lambda pack, start: gone if start < 6 else None, Limits(retries=0))
    stage.run()
    assert stage.statuses() == [("finished", None)] * 2


def test_files_that_fail_are_tried_again(tmp_path: Path) -> None:
    stage = Stage(small_sweep(tmp_path), lambda pack, start: "failed" if start < 3 else None)
    stage.run()
    assert stage.statuses() == [("finished", None)] * 2
    never = Stage(small_sweep(tmp_path / "never"), lambda pack, start: "failed", Limits(retries=1))
    never.run()
    assert never.statuses() == [("failed", "process")] * 2


def test_ray_that_is_lost_is_started_again_but_not_for_ever(tmp_path: Path) -> None:
    stage = Stage(small_sweep(tmp_path), lambda pack, start: "lost" if start < 3 else None)
    stage.run()
    assert stage.statuses() == [("finished", None)] * 2
    assert len(stage.benches) == 3
    assert stage.heard.getvalue().count("Ray is started again: Ray's processes died") == 2
    never = Stage(small_sweep(tmp_path / "never"), lambda pack, start: "lost")
    with pytest.raises(UserError, match=r"Ray's processes died, 4 times in a row .* are in ray.log"):
        never.run()


def test_too_many_failures_end_the_sweep(tmp_path: Path) -> None:
    stage = Stage(
        small_sweep(tmp_path, space=FOUR), lambda pack, start: KILLED, Limits(retries=0, failures=1), pack=1
    )
    conductor = stage.run()
    assert conductor.halted == "2 trials failed, more than resources.failures allows (1)"
    assert stage.ledger.unsettled()


def test_who_asks_to_stop_is_heard(tmp_path: Path) -> None:
    stage = Stage(small_sweep(tmp_path, space=FOUR), pack=1)
    stage.interrupts.asked = True
    stage.run()
    assert (stage.starts, stage.statuses()) == ({}, []), "nothing was begun"
    assert stage.benches[0].closed


@pytest.mark.parametrize("pack", [1, 3, 64])
@pytest.mark.parametrize("seed", [0, 1])
def test_halving_across_packs_and_within_them(tmp_path: Path, pack: int, seed: int) -> None:
    sweep = small_sweep(
        tmp_path,
        space={"objective.lam": [1, 2, 3, 4, 5, 6, 7, 8]},
        stopping={"name": "halving", "eta": 2, "at": [0.125, 0.25, 0.5]},
    )

    def strike(packed: Pack, start: int) -> Death | None:
        return KILLED if seed and start == 1 and len(packed.trials) > 1 else None

    stage = Stage(sweep, strike, pack=pack, seed=seed)
    stage.run()
    assert stage.statuses() == [("finished", None)] * 8
    iterations = sorted(round(t.metrics["fid"]) - 1 for t in stored(sweep).values())
    assert iterations == [1] * 4 + [2] * 2 + [4] + [8]


def test_a_front_that_stands_still_ends_the_sweep(tmp_path: Path) -> None:
    sweep = small_sweep(
        tmp_path,
        space={"objective.lam": [1, 2, 3, 4, 5, 6, 7, 8]},
        stopping={"name": "hypervolume", "patience": 2},
    )
    stage = Stage(sweep, pack=1)
    stage.run()
    assert stage.ledger.close_if_enough() is not None
    assert len(stage.starts) == len(stage.ledger.planned) == 5, "three that are alike, and two handed out"
    assert stage.ledger.unsettled() == []
    assert {t.status for t in stored(sweep).values()} == {"finished"}


@pytest.mark.parametrize("pack", [1, 2])
def test_nobody_waits_at_a_rung_for_who_was_given_up(tmp_path: Path, pack: int) -> None:
    """The last to be lost is given up when all others wait: they go on then, and the sweep comes to its end."""
    sweep = small_sweep(tmp_path, space=FOUR, stopping={"name": "halving", "eta": 2, "at": [0.5]})

    def strike(packed: Pack, start: int) -> Death | None:
        return KILLED if any(t.config.params()["objective.lam"] == 4 for t in packed.trials) else None

    stage = Stage(sweep, strike, Limits(retries=2), pack=pack)
    stage.run()
    assert stage.ledger.unsettled() == []
    assert stage.statuses() == [("failed", "process")] + [("finished", None)] * 3
    assert sorted(round(t.metrics["fid"]) - 1 for t in stored(sweep).values() if t.metrics) == [4, 8, 8]


def test_a_pack_that_is_lost_at_a_rung_is_not_worked_on_twice(tmp_path: Path) -> None:
    """Its trials are saved there: they are packed once, when it is decided."""
    sweep = small_sweep(tmp_path, space=FOUR, stopping={"name": "halving", "eta": 2, "at": [0.5]})
    stage = Stage(sweep, pack=2)
    stage.ledger.refill(10, 2)
    first, second = stage.ledger.next_pack(), stage.ledger.next_pack()
    assert first is not None
    assert second is not None
    here = {trial.id: {"precision": 0.5, "recall": 0.5, "fid": 1.0} for trial in first.trials}
    assert stage.ledger.arrive(here).go_on == {}, "the others have not come yet"
    stage.ledger.put_back([first.trials])
    assert stage.ledger.next_pack() is None
    there = {trial.id: {"precision": 0.4, "recall": 0.4, "fid": 2.0} for trial in second.trials}
    decision = stage.ledger.arrive(there)
    stage.ledger.go_on([*decision.go_on, *decision.stop])
    packed = [trial.id for pack in stage.ledger.drain() for trial in pack.trials]
    assert sorted(packed) == sorted([*here, *there]), "each once"
    stage.recorder.close(interrupted=True)
