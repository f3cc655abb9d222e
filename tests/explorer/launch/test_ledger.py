"""The books: no trial twice, nothing lost, and the search hears of every point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from explorer.launch.earlier import Earlier
from explorer.launch.ledger import Ledger
from explorer.launch.outcomes import Settled
from explorer.launch.plan import make_plan
from explorer.search.points.source import Asked, Chosen, GridSource, PointSource
from explorer.sweep import load_sweep
from explorer.sweep.sweep import Sweep


class Listening(PointSource):
    """A grid that remembers what it was told."""

    def __init__(self, points: list[dict[str, Any]]) -> None:
        self._left = [Asked(i, p) for i, p in enumerate(points)]
        self.total = len(points)
        self.heard: dict[int, Sequence[Mapping[str, float]]] = {}

    @property
    def over(self) -> bool:
        return not self._left

    def ask(self, count: int) -> Chosen:
        chosen, self._left = self._left[:count], self._left[count:]
        return chosen

    def tell(self, number: int, repeats: Sequence[Mapping[str, float]]) -> None:
        self.heard[number] = list(repeats)


def sweep(*assignments: str, trials: int | None = None, seeds: int = 2) -> Sweep:
    return load_sweep("demo", ["space={objective.lam: [1, 2, 4]}", *assignments], trials, seeds)


def drain(ledger: Ledger) -> list[str]:
    packs = ledger.drain()
    assert ledger.next_pack() is None
    return [t.id for pack in packs for t in pack.trials]


def test_every_trial_is_packed_once_and_every_point_answered() -> None:
    plan = sweep()
    source = Listening(list(plan.space.grid()))
    ledger = Ledger(plan, source, Earlier(), lambda trial: 0)
    ledger.refill(10, limit=4)
    trials = drain(ledger)
    assert len(trials) == len(set(trials)) == 6
    for index, trial in enumerate(trials):
        ledger.settle(trial, Settled({"precision": float(index)}))
        ledger.settle(trial, Settled({"precision": -1.0}))  # a repeat changes nothing
    assert {n: len(r) for n, r in source.heard.items()} == {0: 2, 1: 2, 2: 2}
    assert all(m["precision"] >= 0 for r in source.heard.values() for m in r)
    ledger.refill(10, limit=4)
    assert ledger.exhausted
    assert ledger.unsettled() == []


def test_points_that_resolve_alike_share_their_trials() -> None:
    plan = load_sweep("demo", ["space={objective.lam: [1, 1.0, 1, 2, 4, 8]}"], seeds=1)
    source = Listening(list(plan.space.grid()))
    ledger = Ledger(plan, source, Earlier(), lambda trial: 0)
    ledger.refill(10, limit=100)
    trials = drain(ledger)
    assert len(trials) == len(set(trials)) == 4
    for trial in trials:
        ledger.settle(trial, Settled({"precision": 0.5}))
    assert len(source.heard) == 6


def test_a_trial_that_an_earlier_refill_packed_is_not_packed_again() -> None:
    plan = load_sweep("demo", ["space={objective.lam: [1, 1.0, 1, 2, 4, 8]}"], seeds=1)
    source = Listening(list(plan.space.grid()))
    ledger = Ledger(plan, source, Earlier(), lambda trial: 0)
    packed = []
    for _ in range(3):
        ledger.refill(1, limit=100)
        packed += drain(ledger)
    assert len(packed) == 1
    assert source.heard == {}
    ledger.settle(packed[0], Settled({"precision": 0.5}))
    assert source.heard == {number: [{"precision": 0.5}] for number in range(3)}


def test_settled_trials_are_reused_and_failures_reported_empty() -> None:
    plan = sweep()
    first = [config.identity() for config in plan.repeats({"objective.lam": 1})]
    settled = {first[0]: Settled({"precision": 0.9}), first[1]: Settled({}, "diverged: …")}
    source = Listening(list(plan.space.grid()))
    ledger = Ledger(plan, source, Earlier(settled), lambda trial: 0)
    ledger.refill(10, limit=10)
    assert len(drain(ledger)) == 4
    assert ledger.reused == set(first)
    assert source.heard[0] == [{"precision": 0.9}]


def test_a_budget_of_trials_cuts_the_last_point_short() -> None:
    plan = sweep(trials=3)
    ledger = Ledger(plan, GridSource(plan.space), Earlier(), lambda trial: 0)
    ledger.refill(10, limit=10)
    assert len(drain(ledger)) == 3
    assert make_plan(plan, Earlier()).trials == 3


def test_trials_at_different_checkpoints_do_not_share_a_pack() -> None:
    plan = sweep()
    starts = {config.identity(): 500 for config in plan.repeats({"objective.lam": 2})}
    ledger = Ledger(plan, GridSource(plan.space), Earlier(), lambda trial: starts.get(trial, 0))
    ledger.refill(10, limit=10)
    packs = [ledger.next_pack(), ledger.next_pack()]
    assert sorted(len(p.trials) for p in packs if p) == [2, 4]
    assert ledger.next_pack() is None


def test_a_trial_with_a_full_checkpoint_is_only_read() -> None:
    plan = sweep()
    end = 2400
    ledger = Ledger(plan, GridSource(plan.space), Earlier(), lambda trial: end)
    ledger.refill(10, limit=10)
    pack = ledger.next_pack()
    assert pack is not None
    assert {(t.start, t.end, t.remaining) for t in pack.trials} == {(end, end, 0)}


def test_a_trial_that_the_same_stopper_ended_goes_no_further() -> None:
    plan = sweep(seeds=1)
    (stopped,) = [config.identity() for config in plan.repeats({"objective.lam": 2})]
    ledger = Ledger(plan, GridSource(plan.space), Earlier(stops={stopped: 1000}), lambda trial: 1500)
    ledger.refill(10, limit=10)
    packs = [ledger.next_pack(), ledger.next_pack()]
    ends = {t.id: (t.start, t.end) for pack in packs if pack for t in pack.trials}
    assert ends.pop(stopped) == (1000, 1000), "read where it was stopped, not trained on"
    assert set(ends.values()) == {(1500, 2400)}


def test_a_search_is_over_when_it_has_no_more_points() -> None:
    plan = sweep()
    ledger = Ledger(plan, GridSource(plan.space), Earlier(), lambda trial: 0)
    assert not ledger.exhausted
    ledger.refill(2, limit=10)
    assert len(drain(ledger)) == 4
    assert not ledger.exhausted, "one point is left"
    assert ledger.refill(2, limit=10) == 1
    assert not ledger.exhausted, "a pack waits"
    assert len(drain(ledger)) == 2
    assert ledger.exhausted
    assert len(ledger.unsettled()) == 6


def test_a_search_that_waits_for_answers_is_not_over() -> None:
    plan = sweep(seeds=1)
    source = Listening(list(plan.space.grid()))
    ledger = Ledger(plan, source, Earlier(), lambda trial: 0)
    held, source.ask = source.ask, lambda count: []  # type: ignore[method-assign]
    assert ledger.refill(10, limit=10) == 0
    assert not ledger.exhausted
    source.ask = held  # type: ignore[method-assign]
    assert ledger.refill(10, limit=10) == 3


STAGED = ["base={objective: {name: gan}, training: {iterations: 100}}", "start={from: base}"]


def staged(trials: int | None = None, known: Earlier | None = None) -> tuple[Ledger, Listening, Sweep]:
    plan = sweep(*STAGED, trials=trials)
    source = Listening(list(plan.space.grid()))
    return Ledger(plan, source, known or Earlier(), lambda trial: 0), source, plan


def test_what_begins_at_a_base_is_held_back_until_it_is_there() -> None:
    ledger, source, _ = staged()
    ledger.refill(10, limit=100, base_limit=1)
    first, second = ledger.next_pack(), ledger.next_pack()
    assert first is not None
    assert second is not None
    assert {t.id for pack in (first, second) for t in pack.trials} == set(ledger.bases)
    assert (len(ledger.bases), len(ledger.planned)) == (2, 6)
    for trial in (*ledger.bases, *ledger.planned):
        assert ledger.config(trial).identity() == trial
    assert ledger.next_pack() is None
    assert ledger.holding
    assert not ledger.exhausted
    ledger.settle(first.trials[0].id, Settled({"precision": 0.5}))
    assert ledger.next_pack() is None, "one pack, which needs both"
    ledger.settle(second.trials[0].id, Settled({"precision": 0.5}))
    assert source.heard == {}, "bases are no points"
    pack = ledger.next_pack()
    assert pack is not None
    assert [t.id for t in pack.trials] == list(ledger.planned)
    assert not ledger.holding
    for trial in ledger.planned:
        ledger.settle(trial, Settled({"precision": 0.5}))
    assert {n: len(r) for n, r in source.heard.items()} == {0: 2, 1: 2, 2: 2}
    assert ledger.unsettled() == []


def test_a_base_that_fails_takes_along_what_begins_at_it_and_nothing_else() -> None:
    ledger, source, _ = staged()
    told: dict[str, str] = {}
    ledger.tell_doomed = lambda trial, reason: told.update({trial.id: reason})
    ledger.refill(10, limit=100)
    pack = ledger.next_pack()
    assert pack is not None
    good, bad = (trial.id for trial in pack.trials)
    ledger.settle(bad, Settled({}, "its node was lost"))
    assert ledger.next_pack() is None
    assert set(told.values()) == {f"its base {bad} failed: its node was lost"}
    doomed = {t for t, c in ledger.planned.items() if c.start is not None and c.start.base == bad}
    assert set(told) == doomed == ledger.doomed
    ledger.settle(good, Settled({"precision": 0.5}))
    left = ledger.next_pack()
    assert left is not None
    assert {t.id for t in left.trials} == set(ledger.planned) - doomed
    for trial in left.trials:
        ledger.settle(trial.id, Settled({"precision": 0.5}))
    assert {n: len(r) for n, r in source.heard.items()} == {0: 1, 1: 1, 2: 1}


def test_a_base_that_diverged_before_dooms_at_once_and_every_point_hears_it_once() -> None:
    _, _, plan = staged()
    starts = [t.start for point in plan.space.grid() for t in plan.repeats(point)]
    bases = {start.base for start in starts if start is not None}
    known = Earlier({base: Settled({}, "diverged: …") for base in bases})
    ledger, source, _ = staged(known=known)
    heard: list[int] = []
    source.tell = lambda number, repeats: heard.append(number)  # type: ignore[method-assign]
    ledger.refill(10, limit=100)
    assert ledger.drain() == []
    assert (len(ledger.doomed), ledger.reused, ledger.unsettled()) == (6, set(), [])
    assert heard == [0, 1, 2]


def test_a_budget_of_trials_does_not_count_bases() -> None:
    ledger, _, _ = staged(trials=3)
    ledger.refill(10, limit=10)
    assert (len(ledger.planned), len(ledger.bases)) == (3, 2)


def test_finished_trials_need_no_state_of_their_base() -> None:
    _, _, plan = staged()
    trials = [t for point in plan.space.grid() for t in plan.repeats(point)]
    settled = {t.identity(): Settled({"precision": 0.5}) for t in trials}
    settled |= {t.start.base: Settled({"precision": 0.5}) for t in trials if t.start is not None}
    ledger, _, _ = staged(known=Earlier(settled))
    ledger.refill(10, limit=10)
    assert ledger.drain() == []
    assert len(ledger.bases) == 2
