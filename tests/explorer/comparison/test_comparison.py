"""Comparisons of configurations over their seeds, of single seeds, of sweeps that measured different things."""

from __future__ import annotations

import math

import pytest

from explorer.comparison.comparison import compare_sides
from explorer.errors import UserError
from explorer.results.columns import Columns
from explorer.results.table import TrialTable
from tests.explorer.comparison.made import GOALS, sides, table, trial

LOW = [{"precision": 0.50 + d, "fid": 9.0 + d, "train_seconds": 4.0} for d in (0.00, 0.01, 0.02)]
HIGH = [
    {"precision": 0.9 + p, "fid": 9 + f, "train_seconds": 5.0}
    for p, f in ((0.01, 0.01), (0, 0.03), (0.02, 0))
]


def test_a_configuration_is_compared_with_all_its_seeds() -> None:
    here = table({1.0: LOW, 2.0: HIGH})
    found = compare_sides(sides((here, "a0"), (here, "b2")))
    precision, fid = found.metrics
    assert [value.seeds for value in precision.values] == [3, 3]
    assert precision.values[1].value == pytest.approx(0.91)
    assert dict(precision.seeds[1]) == {0: 0.91, 1: 0.90, 2: 0.92}
    assert (precision.best, precision.verdict(1), precision.differences[0].test) == (1, "better", "paired")
    assert (fid.direction, fid.verdict(1)) == ("min", "unsure")
    assert [cost.name for cost in found.costs] == ["train_seconds"]
    assert found.differing() == ["objective.lam"], "seeds repeat a configuration, and tell nothing of it"
    assert [found.seeds(side) for side in (0, 1)] == [3, 3]


def test_seeds_of_one_configuration_are_compared_as_single_ones() -> None:
    here = table({1.0: LOW})
    found = compare_sides(sides((here, "a0"), (here, "a2")))
    assert found.alone
    assert found.differing() == ["seed"]
    assert [value.seeds for value in found.metrics[0].values] == [1, 1]
    assert {metric.verdict(1) for metric in found.metrics} == {"few"}


def test_seeds_are_those_of_each_runs_own_sweep() -> None:
    here, there = table({1.0: LOW}), table({1.0: HIGH}, "t", first=50)
    found = compare_sides(sides((here, "a0"), (there, "a0")), metrics=["precision"])
    (precision,) = found.metrics
    assert (precision.differences[0].test, precision.verdict(1)) == ("welch", "better")
    assert found.differing() == []


def test_trials_without_seeds_are_never_paired() -> None:
    trials = [
        trial(f"{name}{i}", {"lr": lr}, precision=value + i / 100)
        for name, lr, value in (("a", 1.0, 0.5), ("b", 2.0, 0.9))
        for i in range(3)
    ]
    here = Columns(TrialTable("s", GOALS, tuple(trials)))
    found = compare_sides(sides((here, "a0"), (here, "b0")))
    assert found.metrics[0].differences[0].test == "welch"


def test_an_unknown_direction_is_called_higher_or_lower_and_nobody_is_best() -> None:
    here = table({1.0: [{"odd": v} for v in (1.0, 1.1, 1.2)], 2.0: [{"odd": v} for v in (5.0, 5.2, 5.1)]})
    (odd,) = compare_sides(sides((here, "a0"), (here, "b0"))).metrics
    assert (odd.direction, odd.best, odd.verdict(1)) == (None, None, "higher")


def test_what_one_of_them_lacks_is_not_known() -> None:
    here = table({1.0: LOW, 2.0: [{"precision": math.nan}] * 3})
    found = compare_sides(sides((here, "a0"), (here, "b0")))
    assert {metric.verdict(1) for metric in found.metrics} == {"unknown"}
    assert {metric.best for metric in found.metrics} <= {0, None}


def test_more_comparisons_make_each_of_them_less_sure() -> None:
    here = table({1.0: LOW, 2.0: HIGH})
    both = compare_sides(sides((here, "a0"), (here, "b0"))).metrics[0].differences[0]
    alone = compare_sides(sides((here, "a0"), (here, "b0")), metrics=["precision"]).metrics[0].differences[0]
    assert both.p == alone.p == alone.corrected
    assert both.corrected == pytest.approx(2 * (both.p or 0))


def test_metrics_that_nobody_measured_and_budgets_nobody_read_are_refused() -> None:
    here = table({1.0: LOW, 2.0: HIGH})
    with pytest.raises(UserError, match="got 'precison'; did you mean 'precision'"):
        compare_sides(sides((here, "a0"), (here, "b0")), metrics=["precison"])
    with pytest.raises(UserError, match="the budget must be one at which sweep 's' was read"):
        compare_sides(sides((here, "a0"), (here, "b0")), budget=3)
    every = compare_sides(sides((here, "a0"), (here, "b0")), metrics=["all"])
    assert [metric.name for metric in every.metrics] == ["precision", "fid"]
