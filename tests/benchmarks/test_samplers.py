"""The comparison of searches: hypervolumes of what they measure, on the same budget."""

from __future__ import annotations

import pytest

from benchmarks.samplers import PROBLEMS, Row, compared, hypervolume, main, tried
from explorer.search.points.dice import Dice
from explorer.search.random import Random


def test_a_hypervolume_is_what_is_dominated_up_to_the_worst_corner() -> None:
    bent = PROBLEMS["bent"]
    assert hypervolume(bent, [{"one": 0.1, "two": 0.6}]) == pytest.approx(1.0 * 1.0)
    assert hypervolume(bent, [{"one": 2.0, "two": 0.6}]) == 0


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_point_of_a_problem_can_be_measured(name: str) -> None:
    problem, dice = PROBLEMS[name], Dice(0)
    for _ in range(200):
        metrics = problem.measure(problem.space.choose(dice))
        assert set(problem.goals) == set(problem.worst) <= set(metrics)
    found = tried(Random(trials=5), problem, 5)
    assert len(found) == 5
    assert (
        0
        <= hypervolume(problem, found)
        <= hypervolume(problem, [*found, *tried(Random(trials=9), problem, 9)])
    )


def test_rows_are_ratios_to_random_search() -> None:
    rows = compared("bent", ["sobol", "tpe"], points=20, seeds=2, settings={"batch": 4})
    assert [row.search for row in rows] == ["random", "sobol", "tpe"]
    assert sum(rows[0].ratios) / 2 == pytest.approx(1)
    assert Row("bent", "tpe", (1.0, 1.2), 0.0051).line() == "| bent | tpe | 1.100 ± 0.100 | 1.000 | 5 |"


def test_the_table_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    main(
        [
            "--points",
            "10",
            "--seeds",
            "1",
            "--searches",
            "nsga2",
            "--population",
            "4",
            "--problems",
            "ring",
            "bent",
        ]
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "10 points, 1 seeds, population 4"
    assert [line.split(" | ")[:2] for line in lines[3:]] == [
        ["| ring", "random"], ["| ring", "nsga2"], ["| bent", "random"], ["| bent", "nsga2"]
    ]  # fmt: skip
