"""Bounds are told with the words for what is not certified."""

from __future__ import annotations

from explorer.goals import Goal
from explorer.results.steepness import NOT_CERTIFIED, steepness_rows
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN


def rows(**numbers: float) -> dict[str, str]:
    trial = Trial("0" * 12, "run", "finished", {}, {PLAIN: {"precision": 0.5, **numbers}})
    table = TrialTable("t", (Goal("precision", "max"),), (trial,))
    return dict(steepness_rows(table, trial))


def test_what_is_known_is_told_and_what_is_not_certified_too() -> None:
    found = rows(critic_lipschitz=2.0, critic_slope=1.25, generator_slope=3.5)
    assert found == {
        "Lipschitz bound": "2",
        "Slope seen": "1.25",
        "Lipschitz bound of G": NOT_CERTIFIED,
        "Slope of G seen": "3.5",
    }


def test_trials_from_before_slopes_were_looked_at_say_nothing() -> None:
    assert rows(critic_lipschitz=2.0) == {}
