"""Configurations and their seeds: means, intervals, who stands for them, and how surely they are on the front."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from explorer.goals import Goal
from explorer.pareto.cloud import Cloud, on_front_probability
from explorer.pareto.dominance import front_mask
from explorer.results.columns import Columns
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, At

K2 = At("obrs", 2.0)
GOALS = (Goal("precision", "max"), Goal("fid", "min"))
BOTH = ("precision", "fid")


def columns_of(rows: Sequence[tuple[float, Mapping[str, float]]]) -> Columns:
    """A trial per λ and metrics; the seed is its number."""
    trials = tuple(
        Trial(f"t{i}", f"r{i}", "finished", {"objective.lam": lam, "seed": i}, {PLAIN: metrics, K2: {}})
        for i, (lam, metrics) in enumerate(rows)
    )
    return Columns(TrialTable("t", GOALS, trials))


def scattered(groups: Sequence[Sequence[tuple[float, float]]]) -> Columns:
    """Configurations of (precision, fid), their seeds in turn as a sweep lists them."""
    rounds = itertools.zip_longest(*groups)
    rows = [
        (float(which), {"precision": pair[0], "fid": pair[1]})
        for seeds in rounds
        for which, pair in enumerate(seeds)
        if pair is not None
    ]
    return columns_of(rows)


def everything(columns: Columns) -> np.ndarray:
    return np.ones(len(columns), dtype=bool)


GROUPS = st.lists(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=4), max_size=6
)


@settings(max_examples=60)
@given(GROUPS)
def test_means_and_intervals_are_those_of_the_seeds(groups: list[list[tuple[int, int]]]) -> None:
    columns = scattered(groups)
    cloud = Cloud.of(columns, everything(columns), BOTH)
    assert len(cloud) == len(groups)
    assert cloud.count.tolist() == [len(group) for group in groups]
    for c, group in enumerate(groups):
        rows = cloud.members[cloud.starts[c] : cloud.starts[c + 1]]
        assert (columns.configurations[rows] == cloud.configurations[c]).all()
        assert (np.diff(rows) > 0).all()
        seen = np.array(group, dtype=float)
        assert cloud.values[cloud.starts[c] : cloud.starts[c + 1]].tolist() == seen.tolist()
        assert cloud.mean[c] == pytest.approx(seen.mean(axis=0))
        assert cloud.first[c] in rows
        if len(group) == 1:
            assert np.isnan([cloud.low[c], cloud.high[c]]).all()
        else:
            half = student.ppf(0.975, len(group) - 1) * seen.std(axis=0, ddof=1) / math.sqrt(len(group))
            assert cloud.low[c] == pytest.approx(seen.mean(axis=0) - half, abs=1e-12)
            assert cloud.high[c] == pytest.approx(seen.mean(axis=0) + half, abs=1e-12)
    assert cloud.owner.tolist() == [c for c, group in enumerate(groups) for _ in group]
    assert cloud.average(columns.goals()) == pytest.approx(cloud.mean * [-1, 1])


def test_rows_outside_and_trials_without_a_coordinate_take_no_part() -> None:
    columns = columns_of(
        [
            (1.0, {"precision": 0.5, "fid": 1.0}),
            (2.0, {"precision": 0.5}),
            (1.0, {"precision": 0.7, "fid": math.nan}),
            (3.0, {"precision": 0.1, "fid": 2.0}),
            (3.0, {"precision": 0.3, "fid": 4.0}),
        ]
    )
    cloud = Cloud.of(columns, np.array([True, True, True, True, False]), BOTH)
    assert cloud.configurations.tolist() == [0, 2]
    assert cloud.members.tolist() == [0, 3]
    assert cloud.mean.tolist() == [[0.5, 1.0], [0.1, 2.0]]
    assert np.isnan(Cloud.of(columns, everything(columns), ["precision"]).average(columns.goals())[0]).tolist() == [
        False, True
    ]  # fmt: skip


def test_coordinates_are_parameters_too_and_a_reading_may_have_none() -> None:
    columns = scattered([[(0.5, 1.0), (0.7, 3.0)], [(0.2, 2.0)]])
    cloud = Cloud.of(columns, everything(columns), ("objective.lam", "precision"))
    assert cloud.mean == pytest.approx(np.array([[0.0, 0.6], [1.0, 0.2]]))
    for nothing in (
        Cloud.of(columns, everything(columns), BOTH, K2),
        Cloud.of(columns, ~everything(columns), BOTH),
    ):
        assert len(nothing) == 0
        assert (nothing.mean.shape, nothing.low.shape, nothing.first.shape) == ((0, 2), (0, 2), (0,))
        assert on_front_probability(nothing, columns.goals()).shape == (0,)


def test_the_seed_nearest_the_mean_stands_for_a_configuration() -> None:
    """FID in hundreds does not drown precision: coordinates are scaled by their ranges."""
    columns = scattered([[(0.1, 250.0), (0.5, 150.0), (0.9, 200.0), (0.51, 260.0)], [(0.3, 1.0), (0.4, 2.0)]])
    cloud = Cloud.of(columns, everything(columns), BOTH)
    assert [columns.metric("precision")[row] for row in cloud.first] == [0.51, 0.3]


def test_means_of_equal_seeds_are_exactly_that_value() -> None:
    """Inert trials tie exactly, however many seeds they have."""
    columns = scattered([[(0.1, 0.7)] * 3, [(0.1, 0.7)] * 7, [(0.1, 0.7)]])
    cloud = Cloud.of(columns, everything(columns), BOTH)
    assert (cloud.mean == [0.1, 0.7]).all()
    assert cloud.low[:2].tolist() == cloud.high[:2].tolist() == [[0.1, 0.7]] * 2


def test_numbers_near_the_end_of_all_numbers_do_not_overflow_the_mean() -> None:
    columns = scattered([[(1.5e308, 1.0), (1.7e308, 1.0)]])
    assert Cloud.of(columns, everything(columns), BOTH).mean[0, 0] == pytest.approx(1.6e308)


def probability(groups: Sequence[Sequence[tuple[float, float]]], **more: int) -> list[float]:
    columns = scattered(groups)
    found = on_front_probability(Cloud.of(columns, everything(columns), BOTH), columns.goals(), **more)
    return [float(value) for value in found]


def test_what_is_certain_is_certain() -> None:
    best, worse = [(0.9, 1.0), (0.8, 1.1)], [(0.5, 2.0), (0.4, 2.1)]
    other = [(0.95, 9.0)]
    assert probability([best, worse, other]) == [1.0, 0.0, 1.0]


def test_who_has_one_seed_stays_and_where_all_have_one_nothing_is_known() -> None:
    assert np.isnan(probability([[(0.9, 1.0)], [(0.1, 2.0)]])).all()
    assert probability([[(0.9, 1.0)], [(0.5, 2.0), (0.5, 2.0)]]) == [1.0, 0.0]


def test_equal_configurations_are_on_the_front_together() -> None:
    same = [(0.5, 1.0), (0.5, 1.0), (0.5, 1.0)]
    assert probability([same, same[:2], same[:1]]) == [1.0, 1.0, 1.0]


def test_a_coin_is_a_coin() -> None:
    """Of two seeds one is drawn: b is at 0.4 or 0.6, a at 0.5, both at one FID."""
    found = probability([[(0.5, 1.0)], [(0.4, 1.0), (0.6, 1.0)]], replicates=4000)
    assert found[0] == pytest.approx(0.5, abs=0.04)
    assert found[0] + found[1] == pytest.approx(1)


def test_the_drawn_mean_varies_as_the_mean_of_the_seeds_does() -> None:
    """A fixed rival at mean + c standard errors: beaten as often as the drawn means, of variance s² / n, exceed it."""
    rng = np.random.default_rng(0)
    seeds = rng.normal(size=12)
    error = seeds.std(ddof=1) / math.sqrt(12)
    rival = float(seeds.mean() + error)
    found = probability([[(float(s), 1.0) for s in seeds], [(rival, 1.0)]], replicates=4000)
    assert found[0] == pytest.approx(0.159, abs=0.03)


def brute(groups: Sequence[Sequence[tuple[float, float]]]) -> np.ndarray:
    """All draws of n - 1 seeds of every configuration, each as likely as the other."""
    minimised = [[(-p, f) for p, f in group] for group in groups]
    draws = [
        [np.mean(draw, axis=0) for draw in itertools.product(group, repeat=max(1, len(group) - 1))]
        for group in minimised
    ]
    times = [front_mask(np.array(means)) for means in itertools.product(*draws)]
    return np.mean(times, axis=0)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=3),
        min_size=1,
        max_size=4,
    ).filter(lambda groups: any(len(group) > 1 for group in groups))
)
def test_probabilities_are_shares_of_all_that_can_be_drawn(groups: list[list[tuple[int, int]]]) -> None:
    found = probability([[(float(p), float(f)) for p, f in group] for group in groups], replicates=1000)
    assert found == pytest.approx(brute(groups), abs=0.1)


def test_later_trials_and_filters_do_not_disturb_what_a_row_draws() -> None:
    rng = np.random.default_rng(3)
    groups = [[tuple(pair) for pair in rng.random((4, 2))] for _ in range(12)]
    columns = scattered(groups)
    cloud = Cloud.of(columns, everything(columns), BOTH)
    before = on_front_probability(cloud, columns.goals())
    assert ((before > 0) & (before < 1)).any()
    hopeless = columns_of(
        [
            *((t.params["objective.lam"], t.metrics) for t in columns.trials),  # type: ignore[misc]
            *((99.0, {"precision": -1.0, "fid": 9.0}) for _ in range(4)),
        ]
    )
    after = on_front_probability(Cloud.of(hopeless, everything(hopeless), BOTH), hopeless.goals())
    assert after.tolist() == [*before.tolist(), 0.0]
    rows = hopeless.param("objective.lam")
    filtered = Cloud.of(hopeless, np.array([lam != 99.0 for lam in rows]), BOTH)
    assert on_front_probability(filtered, hopeless.goals()).tolist() == before.tolist()


def test_a_configuration_that_lacks_a_goal_has_no_probability() -> None:
    columns = columns_of(
        [
            (1.0, {"precision": 0.5, "fid": 1.0}),
            (1.0, {"precision": 0.6, "fid": 1.2}),
            (2.0, {"precision": 0.9}),
        ]
    )
    cloud = Cloud.of(columns, everything(columns), ["precision"])
    assert on_front_probability(cloud, columns.goals()).tolist() == [
        1.0,
        pytest.approx(math.nan, nan_ok=True),
    ]
