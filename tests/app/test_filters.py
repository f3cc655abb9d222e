"""Filters keep exactly the trials they speak of."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.filters import (
    MAX_LEVELS,
    Bound,
    Filter,
    OneOf,
    Span,
    labels,
    levels,
    matching,
    offered_choices,
    offered_spans,
    stops_with,
    words,
)
from explorer.results.columns import Columns
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, At
from tests.app.made_sweep import LAMBDAS


def kept(table: TrialTable, filters: list[Filter], at: At) -> list[Trial]:
    columns = Columns(table)
    return columns.rows(matching(columns, filters, at))


def test_choice_keeps_trials_of_these_values(table: TrialTable) -> None:
    found = kept(table, [OneOf("objective.name", frozenset({"kl"}))], PLAIN)
    assert {t.params["objective.name"] for t in found} == {"kl"}
    assert len(found) == 3
    without = kept(table, [OneOf("objective.lam", frozenset({"–"}))], PLAIN)
    assert all("objective.lam" not in t.params for t in without)
    assert len(without) == 6


def test_span_holds_its_ends_and_asks_that_the_parameter_applies(table: TrialTable) -> None:
    found = kept(table, [Span("objective.lam", 0.3, 3.0)], PLAIN)
    assert {t.params["objective.lam"] for t in found} == {0.3, 1.0, 3.0}


def test_an_open_end_of_a_span_holds_whatever_comes(table: TrialTable) -> None:
    upwards = kept(table, [Span("objective.lam", 3.0, None)], PLAIN)
    assert {t.params["objective.lam"] for t in upwards} == {3.0, 10.0, 20.0}
    downwards = kept(table, [Span("objective.lam", None, 0.1)], PLAIN)
    assert {t.params["objective.lam"] for t in downwards} == {0.05, 0.1}


def test_a_slider_can_show_a_span_beyond_the_data() -> None:
    assert stops_with([1.0, 2.0], Span("a", 0.5, None)) == [0.5, 1.0, 2.0]
    assert stops_with([1.0, 2.0], Span("a", None, 2.0)) == [1.0, 2.0]
    assert stops_with([], Span("a", 0.5, 3.0)) == [0.5, 3.0]


@pytest.mark.parametrize("at", [PLAIN, At("obrs", 4.0)])
def test_bound_follows_the_metrics_direction_and_the_reading(table: TrialTable, at: At) -> None:
    low = kept(table, [Bound("fid", 6.0)], at)
    assert {t.id for t in low} == {t.id for t in table if t.at(at).get("fid", 99.0) <= 6.0}
    high = kept(table, [Bound("precision", 0.8)], at)
    assert {t.id for t in high} == {t.id for t in table if t.at(at).get("precision", 0.0) >= 0.8}
    assert 0 < len(low) < len(table)


def test_a_trial_that_was_not_read_there_passes_no_bound(table: TrialTable) -> None:
    (failed,) = (t for t in table if t.status == "failed")
    assert failed in kept(table, [Bound("fid", 1e9)], PLAIN)
    assert failed not in kept(table, [Bound("fid", 1e9)], At("obrs", 2.0))
    assert len(kept(table, [Bound("fid", 1e9)], At("other", 2.0))) == 0


def test_all_filters_must_pass_and_what_is_not_told_stays(table: TrialTable) -> None:
    both = [OneOf("seed", frozenset({"1"})), Span("objective.lam", 1.0, 20.0)]
    found = kept(table, both, PLAIN)
    assert [t.params["objective.lam"] for t in found] == [1.0, 3.0, 10.0, 20.0]
    assert {t.seed for t in found} == {1}
    assert kept(table, [], PLAIN) == list(table)


def test_what_is_offered(table: TrialTable) -> None:
    columns = Columns(table)
    assert offered_choices(columns) == ["objective.name", "seed"]
    assert offered_spans(columns) == ["objective.lam"]
    assert words(columns, "seed") == ["0", "1", "2"]
    assert words(columns, "objective.name") == ["hinge", "kl", "pr"]
    assert words(columns, "objective.lam")[-1] == "–", "some objectives have no λ"
    assert levels(columns, "objective.lam") == list(LAMBDAS)
    assert levels(columns, "objective.name") == []


@given(values=st.lists(st.floats(1e-6, 1e6) | st.floats(-50, 50), min_size=2, max_size=200, unique=True))
def test_levels_hold_every_value_and_look_different(table: TrialTable, values: list[float]) -> None:
    trials = tuple(
        replace(table.trials[0], id=str(i), params={"objective.lam": v, "seed": i})
        for i, v in enumerate(values)
    )
    wide = TrialTable("wide", table.goals, trials)
    stops = levels(Columns(wide), "objective.lam")
    assert stops[0] <= min(values)
    assert stops[-1] >= max(values)
    assert len(stops) <= MAX_LEVELS + 2
    assert len(set(labels(stops).values())) == len(stops)
    for stop in stops:
        inside = {t.params["objective.lam"] for t in kept(wide, [Span("objective.lam", stop, None)], PLAIN)}
        assert inside == {v for v in values if v >= stop}
    assert len(kept(wide, [Span("objective.lam", stops[0], stops[-1])], PLAIN)) == len(values)
