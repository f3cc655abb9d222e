"""Names of compared trials, the seeds behind them, and what of them is compared."""

from __future__ import annotations

from explorer.comparison.sides import Side, are_siblings, metric_names, names_of, seeds_of
from explorer.results.columns import Columns
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, At
from tests.explorer.comparison.made import GOALS, sides, table

TWO = {
    1.0: [{"precision": 0.1, "precision.low": 0.0}, {"precision": 0.2}],
    2.0: [{"precision": 0.3, "extra": 1.0}],
}


def trial(identity: str, **params: object) -> Trial:
    return Trial(identity, "r", "finished", params, {})  # type: ignore[arg-type]


def test_names_are_the_sweeps_own_or_tell_by_sweep_and_what_differs_and_the_identity_at_last() -> None:
    trials = trial("aa", lam=1.0, seed=0), trial("bb", lam=2.0, seed=0), trial("cc", lam=1.0, seed=0)
    columns = Columns(TrialTable("s", GOALS, (*trials, trial("dd", lam=3.0, seed=1))))
    mine = [("s", columns, row) for row in range(3)]
    assert names_of(mine[:2]) == ["lam 1 · seed 0", "lam 2 · seed 0"], "as on every other page"
    assert names_of([mine[0], mine[2], mine[1]]) == [
        "lam 1 · seed 0 (aa)",
        "lam 1 · seed 0 (cc)",
        "lam 2 · seed 0",
    ]
    assert names_of([mine[0], ("t", columns, 1)]) == ["s: lam 1", "t: lam 2"]
    assert names_of([]) == []


def test_seeds_of_one_configuration_are_siblings_and_those_of_two_sweeps_are_not() -> None:
    here, there = table(TWO), table(TWO, "t")
    assert are_siblings(sides((here, "a0"), (here, "a1")))
    assert not are_siblings(sides((here, "a0"), (here, "b0")))
    assert not are_siblings(sides((here, "a0"), (there, "a0")))
    assert seeds_of(sides((here, "a0"))[0]).tolist() == [True, True, False]


def test_goals_of_all_come_first_then_what_was_measured_without_the_ends_of_intervals() -> None:
    here = table(TWO)
    assert metric_names([(side, PLAIN) for side in sides((here, "a0"), (here, "b0"))]) == [
        "precision",
        "extra",
    ]
    assert metric_names([(side, PLAIN) for side in sides((here, "a0"), (here, "a1"))]) == ["precision"]


def test_a_trial_without_the_reading_is_compared_as_it_is() -> None:
    at = At("obrs", 2.0)
    read = Trial("aa", "r", "finished", {}, {PLAIN: {}, at: {}})
    columns = Columns(TrialTable("s", GOALS, (read, trial("bb"))))
    assert [Side("s", columns, row, "").reading(at) for row in (0, 1)] == [at, PLAIN]
