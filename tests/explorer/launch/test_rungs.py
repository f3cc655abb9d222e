"""Whoever comes to a rung waits for the others; what is decided does not depend on who is quicker, and is kept."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.goals import Goal
from explorer.launch.rungs import Decision, Leg, Rungs
from explorer.stopping.halving import Halving

HALVES = Halving(eta=2.0, at=(0.125, 0.25, 0.5))
GOALS = (Goal("precision", "max"), Goal("recall", "max"))
END = 16


@dataclass
class Notes:
    text: str | None = None

    def load(self) -> str | None:
        return self.text

    def save(self, text: str) -> None:
        self.text = text


@dataclass
class World:
    """Points with fixed abilities, two seeds each, trained by whoever is quick."""

    points: int = 8
    cohort: int | None = None
    notes: Notes = field(default_factory=Notes)

    def __post_init__(self) -> None:
        self.rungs = Rungs(HALVES, GOALS, self.cohort, self.notes)
        self.at: dict[str, int] = {}
        self.over: dict[str, str] = {}
        self.legs: dict[str, Leg] = {}

    def names(self) -> list[tuple[int, list[str]]]:
        return [(p, [f"{p}.{seed}" for seed in (0, 1)]) for p in range(self.points)]

    def join(self) -> None:
        for point, trials in self.names():
            self.rungs.join(point, dict.fromkeys(trials, END))
            for trial in trials:
                if trial in self.over:
                    self.rungs.drop(trial)
                else:
                    self.legs[trial] = self.rungs.leg(trial, self.at.get(trial, 0))

    def measure(self, trial: str) -> dict[str, float]:
        point, seed = map(int, trial.split("."))
        return {"precision": (point * 7 % 8) / 8 + 0.01 * seed, "recall": (point * 3 % 8) / 8}

    def run(self, order: random.Random, steps: int = 10**6) -> None:
        """Whoever can goes its next leg, in a random order, until nobody can or so many steps are made."""
        for _ in range(steps):
            ready = sorted(trial for trial in self.legs)
            if not ready:
                return
            trial = order.choice(ready)
            leg = self.legs.pop(trial)
            self.at[trial] = leg.end
            if leg.final:
                self.over[trial] = leg.stop
                self.rungs.drop(trial)
                self.obey(self.rungs.decide(None))
            else:
                self.rungs.arrive(trial, self.measure(trial))
                self.obey(self.rungs.decide(None))

    def obey(self, decision: Decision) -> None:
        assert not set(decision.go_on) & set(decision.stop)
        self.legs |= decision.go_on | decision.stop


def test_rungs_halve_points_with_all_their_seeds() -> None:
    world = World()
    world.join()
    assert set(world.legs.values()) == {Leg(2, final=False)}
    world.run(random.Random(0))
    ended = {at: sum(1 for one in world.at.values() if one == at) for at in set(world.at.values())}
    assert ended == {2: 8, 4: 4, 8: 2, 16: 2}, "of 8 points with two seeds 4, 2, 1 go on"
    for _, (first, second) in world.names():
        assert world.at[first] == world.at[second]
    assert {why.partition(":")[0] for trial, why in world.over.items() if world.at[trial] < END} == {"halved"}
    assert "not among the best 4 points of 8 at iteration 2" in "".join(world.over.values())


@given(st.integers(0, 10**6), st.sampled_from([None, 2, 3]))
@settings(max_examples=50)
def test_who_is_quicker_decides_nothing(seed: int, cohort: int | None) -> None:
    steady, hasty = World(cohort=cohort), World(cohort=cohort)
    for world, order in ((steady, random.Random(0)), (hasty, random.Random(seed))):
        world.join()
        world.run(order)
    assert steady.at == hasty.at


@given(st.integers(0, 10**6), st.integers(0, 40))
@settings(max_examples=50)
def test_a_sweep_killed_at_any_moment_decides_as_if_nothing_had_happened(seed: int, steps: int) -> None:
    whole = World()
    whole.join()
    whole.run(random.Random(0))
    first = World()
    first.join()
    first.run(random.Random(seed), steps)
    again = World(notes=first.notes)
    again.at, again.over = dict(first.at), dict(first.over)
    again.join()
    again.run(random.Random(seed))
    assert again.at == whole.at


def test_nobody_waits_for_who_failed() -> None:
    world = World(points=2)
    world.join()
    for trial in ("0.0", "0.1", "1.0"):
        world.rungs.arrive(trial, world.measure(trial))
        assert world.rungs.decide(None) == Decision()
    world.rungs.drop("1.1")
    decided = world.rungs.decide(None)
    assert len(decided.go_on) + len(decided.stop) == 3


def test_a_cohort_is_decided_once_it_was_all_asked_for() -> None:
    rungs = Rungs(HALVES, GOALS, cohort=2)
    rungs.join(0, {"a": END})
    rungs.leg("a", 0)
    rungs.arrive("a", {"precision": 0.5, "recall": 0.5})
    assert rungs.decide(asked=1) == Decision(), "another point of the cohort will come"
    assert rungs.decide(asked=None).go_on == {"a": Leg(4, final=False)}, "no further one will"


def test_notes_of_no_use_are_none() -> None:
    for text in ("", "[]", '{"values": 1}', '{"values": {}, "kept": {}, "stopped": {"a": 3}}'):
        rungs = Rungs(HALVES, GOALS, notes=Notes(text))
        rungs.join(0, {"a": END})
        assert rungs.leg("a", 0) == Leg(2, final=False)


def test_a_state_beyond_a_rung_has_passed_it() -> None:
    rungs = Rungs(HALVES, GOALS)
    rungs.join(0, {"a": END, "b": END})
    assert rungs.leg("a", 5) == Leg(8, final=False)
    assert rungs.leg("b", 16) == Leg(16)
