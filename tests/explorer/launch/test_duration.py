"""What a launch would take: counted by hand in turns of a loop, which is timed here."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.launch import duration
from explorer.launch.cost import CPU_FLOPS, work
from explorer.launch.duration import CURVE, READING, READING_SAMPLE, START, STEP, expected_seconds
from explorer.launch.earlier import Earlier
from explorer.launch.packing import Pack
from explorer.launch.plan import make_plan
from explorer.launch.slots import Slots
from explorer.sweep.sweep import Sweep
from tests.explorer.launch.small import small_sweep

TURN = 1e-7


def packs_of(sweep: Sweep) -> tuple[Pack, ...]:
    return make_plan(sweep, Earlier(), Slots(2, gpu=False)).packs


def test_a_launch_is_counted_by_hand(tmp_path: Path) -> None:
    """Two trials of 8 iterations in one pack, evaluated at 4 and at the end, there at every budget."""
    sweep = small_sweep(tmp_path, resources={"pack": 2, "cpus": 2})
    (pack,) = make_plan(sweep, Earlier(), Slots(1, gpu=False)).packs
    steps = 8 * (pack.trials[0].config.training.critic_steps + 1)
    readings = 1 + len(sweep.plan.readings())
    turns = STEP * steps + 2 * (readings * (READING + 40 * READING_SAMPLE) + CURVE)
    arithmetic = 2 * (work(pack.trials[0].config, 0, 8) or 0.0) / (2 * CPU_FLOPS)
    assert expected_seconds([pack], sweep.plan, 1, 2.0, TURN) == pytest.approx(
        arithmetic + TURN * (START + turns)
    )


def test_packs_share_the_slots(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, seeds=3, resources={"pack": 2})
    packs = packs_of(sweep)
    assert len(packs) == 3
    alone, all_of_them = (expected_seconds(some, sweep.plan, 1, 1.0, TURN) for some in (packs[:1], packs))
    assert alone is not None
    assert all_of_them is not None
    one = alone - START * TURN
    assert all_of_them == pytest.approx(START * TURN + 3 * one, rel=1e-3)
    assert expected_seconds(packs, sweep.plan, 2, 1.0, TURN) == pytest.approx(
        START * TURN + 2 * one, rel=1e-3
    )
    assert expected_seconds(packs, sweep.plan, 9, 1.0, TURN) == pytest.approx(alone, rel=1e-3)


def test_reading_alone_takes_time_too_and_a_larger_pack_costs_no_further_steps(tmp_path: Path) -> None:
    brief, long = (
        expected_seconds(packs_of(sweep), sweep.plan, 1, 1.0, TURN)
        for sweep in (
            small_sweep(tmp_path, training={"iterations": n, "batch_size": 8}, resources={"pack": 2})
            for n in (8, 8000)
        )
    )
    assert brief is not None
    assert long is not None
    assert brief > START * TURN
    assert long > 100 * (brief - START * TURN)


def test_the_loop_is_timed_once_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    duration.seconds_per_turn.cache_clear()
    times = iter((0.5, 0.2, 0.4))
    monkeypatch.setattr(duration, "_timed", lambda: next(times))
    assert duration.seconds_per_turn() == duration.seconds_per_turn() == 0.2 / 100_000
    duration.seconds_per_turn.cache_clear()
    monkeypatch.undo()
    assert 1e-9 < duration.seconds_per_turn() < 1e-5
