"""Filters keep exactly the trials they speak of."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.filters import (
    MAX_LEVELS,
    Bound,
    OneOf,
    Span,
    label,
    levels,
    matching,
    offered_choices,
    offered_spans,
    words,
)
from explorer.results.table import TrialTable
from tests.app.made_sweep import made_table, made_trials

TABLE = made_table(made_trials(points=5))


def test_choice_keeps_trials_of_these_values() -> None:
    kept = matching(TABLE, [OneOf("objective.divergence", frozenset({"kl"}))], 1.0)
    assert {t.params["objective.divergence"] for t in kept} == {"kl"}
    assert len(kept) == 3
    without = matching(TABLE, [OneOf("objective.divergence", frozenset({"–"}))], 1.0)
    assert all("objective.divergence" not in t.params for t in without)
    assert len(without) == len(TABLE) - 6


def test_span_holds_its_ends_and_asks_that_the_parameter_applies() -> None:
    kept = matching(TABLE, [Span("objective.lam", 0.3, 3.0)], 1.0)
    assert {t.params["objective.lam"] for t in kept} == {0.3, 1.0, 3.0}


@pytest.mark.parametrize("budget", [1.0, 4.0])
def test_bound_follows_the_metrics_direction_and_the_budget(budget: float) -> None:
    low = matching(TABLE, [Bound("fid", 6.0)], budget)
    assert {t.id for t in low} == {t.id for t in TABLE if t.at_budget(budget)["fid"] <= 6.0}
    high = matching(TABLE, [Bound("precision", 0.8)], budget)
    assert {t.id for t in high} == {t.id for t in TABLE if t.at_budget(budget)["precision"] >= 0.8}
    assert 0 < len(low) < len(TABLE)


def test_what_is_offered() -> None:
    assert offered_choices(TABLE) == ["objective.divergence", "objective.name", "seed"]
    assert offered_spans(TABLE) == ["objective.lam"]
    assert words(TABLE, "seed") == ["0", "1", "2"]
    assert levels(TABLE, "objective.lam") == [0.05, 0.1, 0.3, 1.0, 3.0, 10.0, 20.0]


@given(st.lists(st.floats(1e-6, 1e6) | st.floats(-50, 50), min_size=2, max_size=200, unique=True))
def test_levels_hold_every_value_and_look_different(values: list[float]) -> None:
    trials = tuple(
        replace(TABLE.trials[0], id=str(i), params={"objective.lam": v, "seed": i})
        for i, v in enumerate(values)
    )
    table = TrialTable("wide", TABLE.goals, trials)
    stops = levels(table, "objective.lam")
    assert stops[0] <= min(values)
    assert stops[-1] >= max(values)
    assert len(stops) <= MAX_LEVELS + 2
    assert len({label(s) for s in stops}) == len(stops)
    assert len(matching(table, [Span("objective.lam", stops[0], stops[-1])], 1.0)) == len(values)
