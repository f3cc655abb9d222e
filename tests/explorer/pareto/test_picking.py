"""Trials picked by what was measured: the knee of the configurations, the best that keeps a bound."""

from __future__ import annotations

import math

import pytest

from explorer.errors import UserError
from explorer.goals import parse_goals
from explorer.pareto.picking import Bound, best_within, knee_trial, parse_bound, standing
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, At

K2 = At("obrs", 2.0)


def _table(goals: dict[str, str] | None = None) -> TrialTable:
    """Three configurations of two seeds; at K = 2 the sharp one is the most diverse too. Another is not over."""
    trials = []
    for lam, precision, recall in ((0.2, 0.9, 0.3), (1.0, 0.8, 0.8), (5.0, 0.3, 0.9)):
        for seed, off in enumerate((-0.04, 0.02)):
            plain = {"precision": precision + off, "recall": recall - off, "fid": 1 / recall}
            read = {PLAIN: plain, K2: {**plain, "recall": 0.95 if lam == 0.2 else recall}}
            trials.append(
                Trial(f"{lam:g}-{seed}", "r", "finished", {"objective.lam": lam, "seed": seed}, read)
            )
    trials.append(
        Trial("late", "r", "running", {"objective.lam": 9.0, "seed": 0}, {PLAIN: {"precision": 1.0}})
    )
    return TrialTable("ring", parse_goals(goals or {"precision": "max", "recall": "max"}), tuple(trials))


def test_the_knee_is_that_of_means_over_seeds() -> None:
    assert knee_trial(_table()).id in ("1-0", "1-1")
    assert knee_trial(_table(), K2).id.startswith("0.2")


def test_the_best_that_keeps_a_bound() -> None:
    table = _table()
    assert best_within(table, Bound("recall", 0.8)).id.startswith("1-")
    assert best_within(table, Bound("recall", 0.2)).id.startswith("0.2")
    assert best_within(table, Bound("recall", 0.85)).id.startswith("5-")
    assert best_within(table, Bound("recall", 0.9), K2).id.startswith("0.2")
    assert best_within(table, Bound("precision", 0.7)).id.startswith("1-")
    assert best_within(table, Bound("fid", 1.3)).id.startswith("1-")


def test_bounds_out_of_reach_and_unknown_ones_are_told() -> None:
    with pytest.raises(UserError, match=r"has recall ≥ 2; the best has 0.91"):
        best_within(_table(), Bound("recall", 2))
    with pytest.raises(UserError, match=r"has fid ≤ 0.1; the best has 1.11"):
        best_within(_table(), Bound("fid", 0.1))
    with pytest.raises(UserError, match="got 'recal'; did you mean 'recall'"):
        best_within(_table(), Bound("recal", 0.1))
    with pytest.raises(UserError, match="needs an objective beside its own metric"):
        best_within(_table({"recall": "max"}), Bound("recall", 0.1))
    with pytest.raises(UserError, match="must have a finished trial with precision, recall"):
        knee_trial(TrialTable("none", parse_goals({"precision": "max", "recall": "max"}), ()))


@pytest.mark.parametrize("text", ["", "recall", "=0.8", "recall=", "recall=much", "recall=nan", "recall=inf"])
def test_what_is_no_bound_is_told(text: str) -> None:
    with pytest.raises(UserError, match="--at takes metric=value"):
        parse_bound(text)


def test_a_bound_is_read() -> None:
    assert parse_bound(" recall =0.8") == Bound("recall", 0.8)


def test_how_a_configuration_stands() -> None:
    table = _table()
    found = standing(table, table.trials[2])
    assert found is not None
    assert (found.seeds, found.on_front, found.front, found.of) == (2, True, 3, 3)
    mean, low, high = found.means["precision"]
    assert mean == pytest.approx(0.79)
    assert low < mean < high
    assert standing(table, table.trials[-1]) is None
    alone = standing(TrialTable("one", table.goals, table.trials[:1]), table.trials[0])
    assert alone is not None
    assert math.isnan(alone.means["recall"][1])
