"""Optuna through ask and tell: it learns, it survives a restart, failures do not stay RUNNING."""

from __future__ import annotations

from pathlib import Path

import optuna
import pytest

from explorer.goals import parse_goals
from explorer.search.optuna_source import OptunaSource
from explorer.sweep.space import Space, parse_space

OBJECTIVES = parse_goals({"precision": "max", "fid": "min"})


def space() -> Space:
    return parse_space(
        [
            {"objective.lam": {"log_range": [0.01, 100]}, "model.generator": [[8, 8], [16]]},
            {"objective.name": ["kl", "gan"], "training.batch_size": {"range": [8, 64]}},
        ],
        {
            "objective.lam": False,
            "model.generator": False,
            "objective.name": False,
            "training.batch_size": True,
        },
    )


def source(folder: Path, sampler: str = "tpe", count: int = 12) -> OptunaSource:
    return OptunaSource(space(), sampler, count, 0, OBJECTIVES, f"sqlite:///{folder / 's.db'}", "study")


@pytest.mark.parametrize("sampler", ["tpe", "nsga2"])
def test_points_belong_to_the_space(tmp_path: Path, sampler: str) -> None:
    asked = source(tmp_path, sampler).ask(100)
    assert len(asked) == 12
    for one in asked:
        if "objective.lam" in one.point:
            assert set(one.point) == {"objective.lam", "model.generator"}
            assert 0.01 <= one.point["objective.lam"] <= 100
            assert one.point["model.generator"] in ([8, 8], [16])
        else:
            assert one.point["objective.name"] in ("kl", "gan")
            assert isinstance(one.point["training.batch_size"], int)


def test_a_restart_goes_through_the_earlier_points_again(tmp_path: Path) -> None:
    before = source(tmp_path)
    asked = before.ask(5)
    before.tell(asked[0].number, [{"precision": 0.5, "fid": 1.0}, {"precision": 0.7, "fid": 3.0}])
    before.tell(asked[1].number, [])
    after = source(tmp_path)
    again = after.ask(100)
    assert again[:5] == asked, "points of the earlier run come first, under their numbers"
    assert len(again) == 12
    after.tell(again[0].number, [{"precision": 0.0, "fid": 9.0}])  # told before: changes nothing
    study = optuna.load_study(study_name="study", storage=f"sqlite:///{tmp_path / 's.db'}")
    assert study.trials[0].values == [pytest.approx(0.6), pytest.approx(2.0)]
    assert study.trials[1].state == optuna.trial.TrialState.FAIL


def test_a_result_that_is_not_finite_is_a_failure_not_a_zombie(tmp_path: Path) -> None:
    one = source(tmp_path)
    (asked,) = one.ask(1)
    one.tell(asked.number, [{"precision": 0.5, "fid": float("nan")}])
    study = optuna.load_study(study_name="study", storage=f"sqlite:///{tmp_path / 's.db'}")
    assert study.trials[0].state == optuna.trial.TrialState.FAIL


def test_directions_follow_the_objectives(tmp_path: Path) -> None:
    source(tmp_path)
    study = optuna.load_study(study_name="study", storage=f"sqlite:///{tmp_path / 's.db'}")
    assert [d.name for d in study.directions] == ["MAXIMIZE", "MINIMIZE"]
