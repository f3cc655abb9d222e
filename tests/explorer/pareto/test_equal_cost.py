"""Fronts at equal cost, on a real table and against brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.goals import parse_goals
from explorer.pareto import rank, reference_point
from explorer.pareto.corner import corner_of
from explorer.pareto.equal_cost import PARTS, affordable, cost_of, worth_of
from explorer.results.columns import Columns
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, At
from tests.app.conftest import store_uri
from tests.app.made_sweep import TWO_METHODS, read_table

__all__ = ["store_uri"]

READINGS = (PLAIN, At("obrs", 2.0), At("obrs", 4.0), At("other", 3.0))


@pytest.fixture(scope="module")
def columns(store_uri):
    return Columns(read_table(store_uri, TWO_METHODS))


def every(columns):
    return np.ones(len(columns), dtype=bool)


@st.composite
def tables(draw):
    """Trials with whole numbers as metrics, some without some readings."""
    trials = []
    for i in range(draw(st.integers(1, 6))):
        readings = {}
        for at in READINGS:
            if at == PLAIN or draw(st.booleans()):
                a, b = draw(st.integers(0, 4)), draw(st.integers(0, 4))
                readings[at] = {"precision": a / 4, "recall": b / 4, "draws": at.budget}
        trials.append(Trial(f"{i:012x}", f"r{i}", "finished", {"seed": i}, readings))
    return Columns(TrialTable("t", parse_goals({"precision": "max", "recall": "max"}), tuple(trials)))


@settings(deadline=None)
@given(tables(), st.sampled_from([1.0, 2.0, 3.0, 4.0]))
def test_the_front_is_that_of_all_pairs_within_the_limit(columns, limit):
    pairs = {
        (row, columns.readings.index(at)): (m["precision"], m["recall"])
        for row, trial in enumerate(columns.trials)
        for at, m in trial.readings.items()
        if at.budget <= limit
    }
    best = {
        pair
        for pair, (a, b) in pairs.items()
        if not any(c >= a and d >= b and (c, d) != (a, b) for c, d in pairs.values())
    }
    found = affordable(columns, every(columns), limit)
    assert set(zip(found.rows.tolist(), found.readings.tolist(), strict=True)) == best
    assert found.pairs == len(pairs)


@settings(deadline=None)
@given(tables())
def test_who_may_spend_more_reaches_no_less(columns):
    volumes = [affordable(columns, every(columns), limit).volume for limit in (1.0, 2.0, 3.0, 4.0)]
    assert volumes == sorted(volumes)
    one = affordable(columns, every(columns), 4.0, methods=["obrs"]).volume
    assert one <= volumes[-1]


def test_a_limit_of_one_draw_is_the_model_as_it_is(columns):
    found = affordable(columns, every(columns), 1.0)
    ranking = rank(columns.table)
    assert {columns.ids[row] for row in found.rows} == ranking.front
    assert found.volume == pytest.approx(ranking.hypervolume)


def test_the_corner_is_the_reference_point(columns):
    signs = [goal.sign for goal in columns.table.goals]
    expected = [reference_point(columns.table)[goal.metric] for goal in columns.table.goals]
    np.testing.assert_allclose(corner_of(columns), np.array(signs) * expected)


def test_worth_at_a_reading_is_that_of_its_ranking(columns):
    found = {worth.at: worth for worth in worth_of(columns, every(columns))}
    assert list(found) == list(columns.readings)
    for at, worth in found.items():
        assert worth.volume == pytest.approx(rank(columns.table, at).hypervolume)
        assert worth.gain == pytest.approx(worth.volume - found[PLAIN].volume)
        assert worth.best[0] == max(t.readings[at]["precision"] for t in columns.trials)
        assert worth.best[2] == min(t.readings[at]["fid"] for t in columns.trials)


def test_gain_is_over_the_same_trials_as_they_are():
    """A trial that alone was read through a refinement is not put beside the front of a whole sweep."""
    good, poor = {"precision": 0.9, "recall": 0.9}, {"precision": 0.2, "recall": 0.2}
    better = {"precision": 0.3, "recall": 0.2}
    at = At("drs", 2.0)
    trials = (
        Trial("a" * 12, "ra", "finished", {"seed": 0}, {PLAIN: good}),
        Trial("b" * 12, "rb", "finished", {"seed": 1}, {PLAIN: poor, at: better}),
    )
    goals = parse_goals({"precision": "max", "recall": "max"})
    both = Columns(TrialTable("t", goals, trials))
    plain, read = worth_of(both, every(both))
    assert (plain.gain, read.trials) == (0.0, 1)
    assert 0 < read.gain < 0.1
    assert read.volume < plain.volume


def test_nothing_but_the_models_as_they_are_is_allowed(columns):
    found = affordable(columns, every(columns), 1e9, methods=())
    assert {columns.readings[i] for i in found.readings} == {PLAIN}
    assert found.volume == affordable(columns, every(columns), 1.0).volume


def test_what_a_sample_costs():
    told = {"draws": 2.1, "scores": 2.1}
    trials = [
        Trial("a", "a", "finished", {}, {PLAIN: {}, At("obrs", 2.0): told}),
        Trial("b", "b", "finished", {}, {PLAIN: {}, At("obrs", 2.0): {"acceptance": 0.4}}),
        Trial("c", "c", "finished", {}, {PLAIN: {}, At("obrs", 2.0): {"precision": 0.4}}),
        Trial("d", "d", "finished", {}, {PLAIN: {}}),
    ]
    columns = Columns(TrialTable("t", parse_goals({"precision": "max"}), tuple(trials)))
    np.testing.assert_allclose(cost_of(columns, At("obrs", 2.0)), [2.1, 2.5, 2, np.nan])
    np.testing.assert_allclose(cost_of(columns, At("obrs", 2.0), "scores"), [2.1, np.nan, np.nan, np.nan])
    assert set(cost_of(columns, PLAIN)) == {1}
    assert set(cost_of(columns, PLAIN, "gradients")) == {0}


def test_calls_of_all_kinds_are_draws_scores_and_gradients_together(columns):
    for at in columns.readings:
        parts = [cost_of(columns, at, kind) for kind in PARTS]
        np.testing.assert_array_equal(cost_of(columns, at, "calls"), sum(parts))
    assert (cost_of(columns, PLAIN, "calls")[columns.finished] == 1).all()
