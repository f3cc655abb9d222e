"""The comparison of searches: hypervolumes of what they measure, on the same budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from benchmarks.samplers import PROBLEMS, Row, compared, gaussians25, hypervolume, main, tried
from explorer.search.points.dice import Dice
from explorer.search.random import Random
from explorer.search.tpe import Tpe
from explorer.sweep.axes import Point


def test_a_hypervolume_is_what_is_dominated_up_to_the_worst_corner() -> None:
    bent = PROBLEMS["bent"]
    assert hypervolume(bent, [{"one": 0.1, "two": 0.6}]) == pytest.approx(1.0 * 1.0)
    assert hypervolume(bent, [{"one": 2.0, "two": 0.6}]) == 0


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_point_of_a_problem_can_be_measured(name: str) -> None:
    problem, dice = PROBLEMS[name], Dice(0)
    for metrics in problem.measure([(problem.space.choose(dice), 0) for _ in range(200)]):
        assert metrics is not None
        assert set(problem.goals) == set(problem.worst) <= set(metrics)
    fewer, more = tried([Random(trials=5), Random(trials=9)], problem, 9)
    assert (len(fewer.found), len(more.found)) == (9, 9)
    assert 0 <= hypervolume(problem, fewer.found[:5]) <= hypervolume(problem, fewer.found)


def test_searches_side_by_side_find_what_each_finds_alone() -> None:
    bent = PROBLEMS["bent"]
    searches = [Tpe(trials=20, seed=seed, batch=4, objectives=dict(bent.goals)) for seed in (0, 1)]
    alone = [tried([search], bent, 20)[0].found for search in searches]
    assert [one.found for one in tried(searches, bent, 20)] == alone
    assert alone[0] != alone[1]


def test_a_training_that_diverges_is_told_and_not_counted() -> None:
    bent = PROBLEMS["bent"]
    told: list[int] = []

    def measure(asked: Sequence[tuple[Point, int]]) -> list[None]:
        told.append(len(asked))
        return [None] * len(asked)

    (nothing,) = tried(
        [Tpe(trials=12, batch=4, objectives=dict(bent.goals))], replace(bent, measure=measure), 12
    )
    assert nothing.found == []
    assert sum(told) == 12


def test_gaussians_are_trained_at_the_seed_of_their_search() -> None:
    problem = gaussians25({"training.iterations": 4, "evaluation.samples": 100})
    points = [problem.space.choose(Dice(at)) for at in range(3)]
    measured = problem.measure([(point, seed) for seed in (0, 1) for point in points])
    assert all(one is not None and set(problem.goals) <= set(one) for one in measured)
    assert measured[:3] != measured[3:]


def test_rows_are_ratios_to_random_search() -> None:
    rows = compared("bent", PROBLEMS["bent"], ["sobol", "tpe"], points=20, seeds=2, settings={"batch": 4})
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
