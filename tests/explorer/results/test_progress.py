"""How far a sweep is, from times that were made up."""

import math
from functools import cache

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from explorer.goals import parse_goals
from explorer.results.columns import Columns
from explorer.results.progress import Planned, planned_of, progress_of
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN
from explorer.sweep.document import list_presets, load_sweep, preset_text
from explorer.sweep.presets import describe_presets

T0 = 1_700_000_000_000


def columns(*trials):
    """Trials as (status, started, ended) in seconds after the first moment."""
    made = []
    for i, (status, started, ended) in enumerate(trials):
        begun = T0 + 1000 * started
        over = 0 if ended is None else T0 + 1000 * ended
        metrics = {"train_seconds": 3.0}
        made.append(Trial(f"{i}", f"{i}", status, {}, {PLAIN: metrics}, started=begun, ended=over))
    return Columns(TrialTable("t", parse_goals({"precision": "max"}), tuple(made)))


def test_counts_pace_and_what_is_left():
    table = columns(("finished", 0, 60), ("finished", 0, 60), ("failed", 60, 120), ("running", 60, None))
    found = progress_of(table, Planned(10), now=T0 + 120_000)
    assert found.counts == {"finished": 2, "running": 1, "failed": 1}
    assert found.ended == 3
    assert found.busy == 120
    assert found.rate == pytest.approx(1.5)
    assert found.left == 7
    assert found.remaining_s == pytest.approx(60 * 7 / 1.5)
    np.testing.assert_allclose(found.moments, [60, 60, 120, np.nan])
    assert found.train_seconds.sum() == 12
    assert np.isnan(found.gpu_seconds).all()


def test_a_night_of_rest_does_not_slow_it_down():
    day = 86_400
    rested = progress_of(columns(("finished", 0, 60), ("finished", day, day + 60)))
    assert rested.rate == pytest.approx(1.0)
    assert rested.busy == 120


def test_what_is_not_known_is_not_told():
    empty = progress_of(columns())
    assert (empty.counts, empty.ended, empty.left) == ({}, 0, None)
    assert math.isnan(empty.rate)
    assert math.isnan(empty.remaining_s)
    timeless = Trial("a", "a", "finished", {}, {PLAIN: {}})
    found = progress_of(Columns(TrialTable("t", parse_goals({"fid": "min"}), (timeless,))))
    assert found.began == 0
    assert np.isnan(found.moments).all()


def test_trials_beyond_the_plan_leave_none():
    assert progress_of(columns(("finished", 0, 1), ("finished", 0, 2)), Planned(1)).left == 0


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 500)), min_size=1, max_size=12))
def test_time_under_way_is_the_union_of_the_trials(spans):
    table = columns(*(("finished", a, a + b) for a, b in spans))
    seconds = {second for a, b in spans for second in range(a, a + b)}
    assert progress_of(table).busy == pytest.approx(len(seconds))


@pytest.mark.parametrize("name", sorted(list_presets()))
def test_the_plan_of_a_preset_is_what_its_loader_counts(name):
    counted = counts()[name]
    found = planned_of(preset_text(name))
    assert found is not None
    if found.at_most:
        assert found.trials >= counted
    else:
        assert found.trials == counted


@cache
def counts():
    return {preset.name: preset.trials for preset in describe_presets()}


def test_the_plan_of_a_stored_file():
    sweep = load_sweep("demo")
    stored = yaml.safe_dump(dict(sweep.document), sort_keys=False)
    assert planned_of(stored) == Planned(28)


def test_no_search_finds_more_points_than_there_are():
    text = "space: {objective.lam: [1, 2, 3]}\nseeds: 2\nsearch: {name: random, trials: %s}"
    assert planned_of(text % 100) == Planned(6)
    assert planned_of(text % 4) == Planned(4)
    assert planned_of("space: {objective.lam: {range: [0, 1]}}\nsearch: {name: tpe, trials: 100}") == Planned(
        100
    )


@pytest.mark.parametrize(
    "text",
    [None, "", "[", "3", "seeds: none", "space: 3", "space: {objective.lam: {range: [0, 1]}}", "[" * 2000],
)
def test_a_file_that_does_not_tell_has_no_plan(text):
    assert planned_of(text) is None
