"""Optuna through ask and tell: it learns, it survives a restart, failures do not stay RUNNING."""

from __future__ import annotations

from pathlib import Path

import optuna
import pytest

from explorer.goals import parse_goals
from explorer.search import Study
from explorer.search.points.optuna_source import OptunaSource, nsga2_sampler, tpe_sampler
from explorer.sweep.space import Interval, Space
from tests.explorer.search.spaces import assert_inside, wide

GOALS = parse_goals({"precision": "max", "fid": "min"})
SAMPLERS = {"tpe": tpe_sampler, "nsga2": nsga2_sampler}


def source(folder: Path, sampler: str = "tpe", count: int = 12) -> OptunaSource:
    study = Study(folder / "s.db", "study")
    return OptunaSource(wide(), lambda known: SAMPLERS[sampler](known, count), count, GOALS, study)


def study(folder: Path) -> optuna.Study:
    return optuna.load_study(study_name="study", storage=f"sqlite:///{folder / 's.db'}")


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_points_belong_to_the_space(tmp_path: Path, sampler: str) -> None:
    asked = source(tmp_path, sampler).ask(100)
    assert len(asked) == 12
    for one in asked:
        assert_inside(one.point)


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
    assert study(tmp_path).trials[0].values == [pytest.approx(0.6), pytest.approx(2.0)]
    assert study(tmp_path).trials[1].state == optuna.trial.TrialState.FAIL


def test_a_point_lost_between_asking_and_noting_it_is_asked_anew(tmp_path: Path) -> None:
    first = source(tmp_path, count=3)
    first.ask(1)
    study(tmp_path).ask()  # a process that died before the point was noted
    again = source(tmp_path, count=3).ask(100)
    assert len(again) == 3
    assert [one.number for one in again] == [0, 2, 3]
    assert study(tmp_path).trials[1].state == optuna.trial.TrialState.FAIL


def test_a_result_that_is_not_finite_is_a_failure_not_a_zombie(tmp_path: Path) -> None:
    one = source(tmp_path)
    (asked,) = one.ask(1)
    one.tell(asked.number, [{"precision": 0.5, "fid": float("nan")}])
    assert study(tmp_path).trials[0].state == optuna.trial.TrialState.FAIL


def test_a_seed_without_a_value_leaves_the_mean_of_the_others(tmp_path: Path) -> None:
    one = source(tmp_path)
    (asked,) = one.ask(1)
    one.tell(asked.number, [{"precision": 0.5, "fid": float("nan")}, {"precision": 0.7, "fid": 2.0}])
    assert study(tmp_path).trials[0].values == [pytest.approx(0.6), 2.0]


def test_directions_follow_the_objectives(tmp_path: Path) -> None:
    source(tmp_path)
    assert [d.name for d in study(tmp_path).directions] == ["MAXIMIZE", "MINIMIZE"]


def test_what_is_told_moves_later_points(tmp_path: Path) -> None:
    line = Space(({"x": Interval(0.0, 1.0, log=False, whole=False, steps=None)},))
    goals = parse_goals({"fid": "min"})
    searching = OptunaSource(
        line, lambda known: tpe_sampler(known, 60), 60, goals, Study(tmp_path / "line.db", "line")
    )
    drawn = []
    for _ in range(60):
        (asked,) = searching.ask(1)
        drawn.append(asked.point["x"])
        searching.tell(asked.number, [{"fid": abs(asked.point["x"] - 0.9)}])
    late = sorted(abs(x - 0.9) for x in drawn[-20:])
    early = sorted(abs(x - 0.9) for x in drawn[:10])
    assert late[10] < early[5] / 2


@pytest.mark.parametrize(("points", "population"), [(8, 4), (100, 25), (1000, 50)])
def test_a_population_lets_some_generations_pass(points: int, population: int) -> None:
    sampler = nsga2_sampler(0, points)
    assert sampler.population_size == population  # type: ignore[attr-defined]


@pytest.mark.parametrize("sampler", sorted(SAMPLERS))
def test_after_a_restart_new_points_are_new(tmp_path: Path, sampler: str) -> None:
    before = [asked.point for asked in source(tmp_path, sampler).ask(4)]
    again = [asked.point for asked in source(tmp_path, sampler).ask(8)]
    assert again[:4] == before
    assert not any(point in before for point in again[4:])
