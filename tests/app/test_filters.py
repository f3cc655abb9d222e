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
    stops_with,
    words,
)
from explorer.results.table import TrialTable
from explorer.store.schema import PLAIN, At
from tests.app.made_sweep import LAMBDAS


def test_choice_keeps_trials_of_these_values(table: TrialTable) -> None:
    kept = matching(table, [OneOf("objective.name", frozenset({"kl"}))], PLAIN)
    assert {t.params["objective.name"] for t in kept} == {"kl"}
    assert len(kept) == 3
    without = matching(table, [OneOf("objective.lam", frozenset({"–"}))], PLAIN)
    assert all("objective.lam" not in t.params for t in without)
    assert len(without) == 6


def test_span_holds_its_ends_and_asks_that_the_parameter_applies(table: TrialTable) -> None:
    kept = matching(table, [Span("objective.lam", 0.3, 3.0)], PLAIN)
    assert {t.params["objective.lam"] for t in kept} == {0.3, 1.0, 3.0}


def test_an_open_end_of_a_span_holds_whatever_comes(table: TrialTable) -> None:
    upwards = matching(table, [Span("objective.lam", 3.0, None)], PLAIN)
    assert {t.params["objective.lam"] for t in upwards} == {3.0, 10.0, 20.0}
    downwards = matching(table, [Span("objective.lam", None, 0.1)], PLAIN)
    assert {t.params["objective.lam"] for t in downwards} == {0.05, 0.1}


def test_a_slider_can_show_a_span_beyond_the_data() -> None:
    assert stops_with([1.0, 2.0], Span("a", 0.5, None)) == [0.5, 1.0, 2.0]
    assert stops_with([1.0, 2.0], Span("a", None, 2.0)) == [1.0, 2.0]
    assert stops_with([], Span("a", 0.5, 3.0)) == [0.5, 3.0]


@pytest.mark.parametrize("at", [PLAIN, At("obrs", 4.0)])
def test_bound_follows_the_metrics_direction_and_the_reading(table: TrialTable, at: At) -> None:
    low = matching(table, [Bound("fid", 6.0)], at)
    assert {t.id for t in low} == {t.id for t in table if t.at(at).get("fid", 99.0) <= 6.0}
    high = matching(table, [Bound("precision", 0.8)], at)
    assert {t.id for t in high} == {t.id for t in table if t.at(at).get("precision", 0.0) >= 0.8}
    assert 0 < len(low) < len(table)


def test_a_trial_that_was_not_read_there_passes_no_bound(table: TrialTable) -> None:
    (failed,) = (t for t in table if t.status == "failed")
    assert failed in matching(table, [Bound("fid", 1e9)], PLAIN).trials
    assert failed not in matching(table, [Bound("fid", 1e9)], At("obrs", 2.0)).trials
    assert len(matching(table, [Bound("fid", 1e9)], At("other", 2.0))) == 0


def test_all_filters_must_pass_and_what_is_not_told_stays(table: TrialTable) -> None:
    both = [OneOf("seed", frozenset({"1"})), Span("objective.lam", 1.0, 20.0)]
    kept = matching(table, both, PLAIN)
    assert [t.params["objective.lam"] for t in kept] == [1.0, 3.0, 10.0, 20.0]
    assert {t.seed for t in kept} == {1}
    assert (kept.sweep, kept.goals, kept.catalogue) == (table.sweep, table.goals, table.catalogue)
    assert matching(table, [], PLAIN) == table


def test_what_is_offered(table: TrialTable) -> None:
    assert offered_choices(table) == ["objective.name", "seed"]
    assert offered_spans(table) == ["objective.lam"]
    assert words(table, "seed") == ["0", "1", "2"]
    assert words(table, "objective.name") == ["hinge", "kl", "pr"]
    assert levels(table, "objective.lam") == list(LAMBDAS)
    assert levels(table, "objective.name") == []


@given(values=st.lists(st.floats(1e-6, 1e6) | st.floats(-50, 50), min_size=2, max_size=200, unique=True))
def test_levels_hold_every_value_and_look_different(table: TrialTable, values: list[float]) -> None:
    trials = tuple(
        replace(table.trials[0], id=str(i), params={"objective.lam": v, "seed": i})
        for i, v in enumerate(values)
    )
    wide = TrialTable("wide", table.goals, trials)
    stops = levels(wide, "objective.lam")
    assert stops[0] <= min(values)
    assert stops[-1] >= max(values)
    assert len(stops) <= MAX_LEVELS + 2
    assert len({label(s) for s in stops}) == len(stops)
    assert len(matching(wide, [Span("objective.lam", stops[0], stops[-1])], PLAIN)) == len(values)
