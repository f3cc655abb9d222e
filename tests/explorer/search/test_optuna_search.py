"""A search by Optuna says how it goes about it, and is read without Optuna."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from explorer.search import SEARCHES, Study
from explorer.search.gp import Gp
from explorer.search.nsga2 import Nsga2
from explorer.search.nsga3 import Nsga3
from explorer.search.optuna_search import OptunaSearch
from explorer.search.tpe import Tpe
from tests.explorer.search.spaces import branched

MEMBERS = [Tpe(trials=8), Gp(trials=8), Nsga2(trials=8), Nsga3(trials=8)]

each = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)


@each
def test_its_fields_are_checked_at_birth(member: OptunaSearch) -> None:
    with pytest.raises(ValueError, match=r"search\.batch must be ≥ 1, got 0"):
        replace(member, batch=0)
    with pytest.raises(ValueError, match=r"search\.warm_start must name sweeps, got ''"):
        replace(member, warm_start="")
    with pytest.raises(ValueError, match="'recall' must be held by"):
        replace(member, constraints={"recall": "0.3"})


def test_a_warm_start_is_one_sweep_or_several() -> None:
    assert Tpe(trials=1).learns_from() == ()
    assert Tpe(trials=1, warm_start="a").learns_from() == ("a",)
    assert Tpe(trials=1, warm_start=["a", "b"]).learns_from() == ("a", "b")  # type: ignore[arg-type]
    assert not any("warm_start" in SEARCHES[name].keys() for name in ("grid", "random", "sobol"))  # noqa: SIM118


def test_a_plan_says_how_many_points_are_drawn_and_whether_it_learns() -> None:
    assert Tpe(trials=40).remarks(40) == ["8 points at a time, the first 17 drawn at random"]
    assert Nsga2(trials=40, batch=1, population=6).remarks(40) == [
        "1 point at a time, the first 6 drawn at random"
    ]
    (few,) = Tpe(trials=17).remarks(17)
    assert "with 17 points the search learns nothing; use more search.trials" in few
    assert Tpe(trials=17, warm_start="a").remarks(17) == ["8 points at a time, the first 17 drawn at random"]


@each
def test_the_first_points_that_it_says_are_drawn_do_not_depend_on_results(member: OptunaSearch) -> None:
    drawn = member.startup + member.batch - 1
    seen = []
    for sign in (1, -1):
        source = replace(member, objectives={"fid": "min"}).source(branched(), drawn, Study())
        points = []
        while not source.over:
            for one in source.ask(100):
                points.append(one.point)
                source.tell(one.number, [{"fid": sign * one.point["training.generator_lr"]}])
        seen.append(points)
    assert seen[0] == seen[1]
    assert len(seen[0]) == drawn


@each
def test_other_seeds_ask_for_other_points(member: OptunaSearch) -> None:
    asked = [replace(member, seed=seed).source(branched(), 4, Study()).ask(4) for seed in (0, 1)]
    assert asked[0] != asked[1]


def test_reading_a_sweep_loads_neither_optuna_nor_scipy() -> None:
    code = (
        "import sys; from explorer.sweep import load_sweep; "
        "names = ('tpe', 'gp', 'nsga2', 'nsga3', 'sobol', 'random'); "
        "[load_sweep('gaussians-8-search', [f'search={{name: {n}, trials: 9}}']) for n in names]; "
        "print([m for m in ('optuna', 'scipy', 'torch') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
