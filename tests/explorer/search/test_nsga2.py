"""Nsga2 draws at random in a plan and asks Optuna's NSGAIISampler with a study; Optuna is loaded only then."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import optuna

from explorer.search import Study
from explorer.search.nsga2 import Nsga2
from explorer.search.points.optuna_source import OptunaSource
from explorer.search.points.source import RandomSource
from tests.explorer.search.spaces import wide


def test_without_a_study_it_is_a_plan_of_random_points() -> None:
    planned = Nsga2(trials=8, seed=5).source(wide(), 8, None)
    assert isinstance(planned, RandomSource)
    assert planned.ask(8) == RandomSource(wide(), 8, 5).ask(8)


def test_with_a_study_its_sampler_and_goals_are_optunas(tmp_path: Path) -> None:
    study = Study(f"sqlite:///{tmp_path / 's.db'}", "mine")
    member = Nsga2(trials=8, seed=5, objectives={"fid": "min", "recall": "max"})
    source = member.source(wide(), 8, study)
    assert isinstance(source, OptunaSource)
    assert isinstance(source._study.sampler, optuna.samplers.NSGAIISampler)
    kept = optuna.load_study(study_name="mine", storage=study.storage)
    assert [d.name for d in kept.directions] == ["MINIMIZE", "MAXIMIZE"]


def test_other_seeds_ask_for_other_points(tmp_path: Path) -> None:
    def asked(seed: int) -> list[object]:
        study = Study(f"sqlite:///{tmp_path / 's.db'}", str(seed))
        return [one.point for one in Nsga2(trials=4, seed=seed).source(wide(), 4, study).ask(4)]

    assert asked(0) != asked(1)


def test_a_plan_does_not_load_optuna() -> None:
    code = (
        "import sys; from explorer.search.nsga2 import Nsga2; from explorer.sweep.space import Listed, Space; "
        "Nsga2(trials=2).source(Space(({'x': Listed((1, 2))},)), 2, None); print('optuna' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
