"""Spaces: grids are products and unions; ranges are what they say; numbers read as people mean them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.search.source import RandomSource
from explorer.sweep import list_presets, load_sweep
from explorer.sweep.space import Interval


def points(assignment: str, *more: str) -> list[dict[str, object]]:
    return list(load_sweep("demo", [assignment, *more]).space.grid())


def test_a_mapping_is_a_product_the_last_axis_fastest() -> None:
    grid = points("space={objective.lam: [1, 2], training.generator_lr: [0.1, 0.2]}")
    assert [tuple(p.values()) for p in grid] == [(1, 0.1), (1, 0.2), (2, 0.1), (2, 0.2)]


def test_a_list_is_a_union() -> None:
    grid = points("space=[{objective.lam: [1, 2]}, {objective.name: [kl, gan]}]")
    assert grid == [
        {"objective.lam": 1},
        {"objective.lam": 2},
        {"objective.name": "kl"},
        {"objective.name": "gan"},
    ]


def test_ranges_walk_from_end_to_end() -> None:
    assert [p["objective.lam"] for p in points("space={objective.lam: {log_range: [0.01, 100], steps: 5}}")] == [
        0.01, 0.1, 1.0, 10.0, 100.0,
    ]  # fmt: skip
    widths = points("space={training.batch_size: {range: [32, 64], steps: 3}}")
    assert [p["training.batch_size"] for p in widths] == [32, 48, 64]
    assert all(isinstance(p["training.batch_size"], int) for p in widths)


def test_a_whole_section_can_vary() -> None:
    sweep = load_sweep("demo", ["space={objective: [{name: pr, lam: 3}, {name: hinge}]}"])
    trials = [sweep.trial(point, 0) for point in sweep.space.grid()]
    assert [(t.objective.name, t.objective.lam) for t in trials] == [("pr", 3.0), ("hinge", None)]


def test_exponents_are_numbers() -> None:
    sweep = load_sweep("demo", ["training.generator_lr=1e-4", "training.critic_lr=2E-3"])
    trial = sweep.trial({}, 0)
    assert (trial.training.generator_lr, trial.training.critic_lr) == (1e-4, 2e-3)


def test_assignments_reach_the_space_and_seeds() -> None:
    sweep = load_sweep(
        "demo", ["space={objective.lam: [1]}", "space.training.ema=[0.9, 0.99]"], trials=3, seeds=2
    )
    assert len(list(sweep.space.grid())) == 2
    assert sweep.seeds == (0, 1)
    assert sweep.search.trials == 3


def test_a_file_is_named_after_itself(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("space:\n  objective.lam: [1, 10]\n")
    assert load_sweep(str(file)).name == "mine"
    file.write_text("name: other\nspace:\n  objective.lam: [1, 10]\n")
    assert load_sweep(str(file)).name == "other"


@pytest.mark.parametrize("preset", list_presets())
def test_every_preset_loads_and_says_what_it_is(preset: str) -> None:
    assert load_sweep(preset).description
    assert load_sweep(preset).name == preset


@given(low=st.floats(1e-3, 1.0), factor=st.floats(1.1, 1e4), log=st.booleans(), seed=st.integers(0, 100))
def test_random_draws_stay_inside(low: float, factor: float, log: bool, seed: int) -> None:
    axis = Interval(low, low * factor, log=log, whole=False, steps=None)
    from explorer.sweep.space import Space

    drawn = RandomSource(Space(({"x": axis},)), 20, seed).ask(20)
    assert all(low * (1 - 1e-9) <= one.point["x"] <= low * factor * (1 + 1e-9) for one in drawn)
    again = RandomSource(Space(({"x": axis},)), 20, seed).ask(20)
    assert drawn == again, "a restart must find the same points"
