"""A search by Optuna plans at random, learns in a study with its own sampler, and goes on after a restart."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import optuna
import pytest

from explorer.search import Study
from explorer.search.nsga2 import Nsga2
from explorer.search.optuna_search import OptunaSearch
from explorer.search.points.optuna_source import OptunaSource
from explorer.search.points.source import RandomSource
from explorer.search.tpe import Tpe
from tests.explorer.search.spaces import wide

SAMPLERS = {Tpe: optuna.samplers.TPESampler, Nsga2: optuna.samplers.NSGAIISampler}
MEMBERS = [Tpe(trials=8, seed=5), Nsga2(trials=8, seed=5)]

each = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)


def study_in(folder: Path, name: str = "mine") -> Study:
    return Study(folder / "studies.db", name)


@each
def test_without_a_study_it_is_a_plan_of_random_points(member: OptunaSearch) -> None:
    assert member.learns
    planned = member.source(wide(), 8, None)
    assert isinstance(planned, RandomSource)
    assert planned.ask(8) == RandomSource(wide(), 8, 5).ask(8)


@each
def test_with_a_study_its_sampler_and_goals_are_optunas(member: OptunaSearch, tmp_path: Path) -> None:
    study = study_in(tmp_path)
    source = replace(member, objectives={"fid": "min", "recall": "max"}).source(wide(), 8, study)
    assert isinstance(source, OptunaSource)
    assert isinstance(source._study.sampler, SAMPLERS[type(member)])
    kept = optuna.load_study(study_name="mine", storage=f"sqlite:///{study.file}")
    assert [d.name for d in kept.directions] == ["MINIMIZE", "MAXIMIZE"]


@each
def test_after_a_restart_it_asks_for_the_same_points_and_then_for_new_ones(
    member: OptunaSearch, tmp_path: Path
) -> None:
    study = study_in(tmp_path)
    before = [asked.point for asked in member.source(wide(), 8, study).ask(4)]
    again = [asked.point for asked in member.source(wide(), 8, study).ask(8)]
    assert again[:4] == before
    assert len(again) == 8
    assert not any(point in before for point in again[4:])


@each
def test_with_fewer_points_asked_for_no_more_of_an_earlier_run_are_handed_out(
    member: OptunaSearch, tmp_path: Path
) -> None:
    study = study_in(tmp_path)
    before = member.source(wide(), 6, study).ask(6)
    assert member.source(wide(), 3, study).ask(9) == before[:3]
    assert member.source(wide(), 6, study).ask(9) == before, "and raised again, all of them"


@each
def test_other_seeds_ask_for_other_points(member: OptunaSearch, tmp_path: Path) -> None:
    def asked(seed: int) -> list[object]:
        source = replace(member, seed=seed).source(wide(), 4, study_in(tmp_path, str(seed)))
        return [one.point for one in source.ask(4)]

    assert asked(0) != asked(1)


@each
def test_a_plan_does_not_load_optuna(member: OptunaSearch) -> None:
    kind = type(member)
    code = (
        f"import sys; from {kind.__module__} import {kind.__name__} as Kind; "
        "from explorer.sweep.space import Listed, Space; "
        "Kind(trials=2).source(Space(({'x': Listed((1, 2))},)), 2, None); print('optuna' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
