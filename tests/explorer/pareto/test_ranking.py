"""Ranks and hypervolume against their definitions."""

import itertools
import math
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.goals import Goal
from explorer.pareto import rank, reference_point
from explorer.results.catalogue import Catalogue
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, At
from trainables.metrics.metric import Entry

K2 = At("obrs", 2.0)
P, R, D, F = (
    Goal("precision", "max"),
    Goal("recall", "max"),
    Goal("density", "max"),
    Goal("fid", "min"),
)


def table(rows, objectives, status="finished"):
    trials = tuple(
        Trial(
            str(i),
            f"run{i}",
            status,
            {},
            {PLAIN: {o.metric: v for o, v in zip(objectives, row, strict=True)}},
        )
        for i, row in enumerate(rows)
    )
    return TrialTable("t", objectives, trials)


def dominates(a, b, objectives):
    better = [o.sign * x < o.sign * y for o, x, y in zip(objectives, a, b, strict=True)]
    worse = [o.sign * x > o.sign * y for o, x, y in zip(objectives, a, b, strict=True)]
    return any(better) and not any(worse)


def peel(rows, objectives):
    """Ranks by the definition: take off what nothing left dominates, again and again."""
    left, ranks, level = dict(enumerate(rows)), {}, 0
    while left:
        front = [i for i, a in left.items() if not any(dominates(b, a, objectives) for b in left.values())]
        ranks |= {str(i): level for i in front}
        left = {i: row for i, row in left.items() if i not in front}
        level += 1
    return ranks


def swept_volume(rows, objectives, reference):
    """Dominated volume, cell by cell of the grid that the points themselves span."""
    signs = [o.sign for o in objectives]
    points = [[s * v for s, v in zip(signs, row, strict=True)] for row in rows]
    corner = [s * reference[o.metric] for s, o in zip(signs, objectives, strict=True)]
    axes = [sorted({p[d] for p in points if p[d] < c} | {c}) for d, c in enumerate(corner)]
    volume = 0.0
    for cell in itertools.product(*(itertools.pairwise(axis) for axis in axes)):
        low = [a for a, _ in cell]
        if any(all(p[d] <= low[d] for d in range(len(low))) for p in points):
            volume += math.prod(b - a for a, b in cell)
    return volume


grid = st.integers(0, 4).map(lambda i: i / 4)


@pytest.mark.parametrize("objectives", [(P,), (P, R), (P, R, F), (P, R, F, D)])
@settings(max_examples=60)
@given(st.data())
def test_ranks_and_volume_follow_their_definitions(objectives, data):
    rows = data.draw(st.lists(st.tuples(*[grid] * len(objectives)), max_size=9))
    ranking = rank(table(rows, objectives))
    assert ranking.ranks == peel(rows, objectives)
    if rows:
        assert ranking.hypervolume == pytest.approx(
            swept_volume(rows, objectives, ranking.reference), abs=1e-12
        )
    else:
        assert ranking.hypervolume == 0


@settings(max_examples=60)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 50)), min_size=1, max_size=25))
def test_ranks_of_any_floats(rows):
    assert rank(table(rows, (P, R, F))).ranks == peel(rows, (P, R, F))


def test_equal_points_are_both_on_the_front():
    ranking = rank(table([(0.5, 0.5), (0.5, 0.5), (0.4, 0.5)], (P, R)))
    assert ranking.ranks == {"0": 0, "1": 0, "2": 1}
    assert ranking.front == {"0", "1"}


def test_point_without_an_objective_has_no_rank():
    ranking = rank(table([(0.5, math.nan), (0.1, 0.1), (math.inf, 0.2)], (P, R)))
    assert ranking.ranks == {"1": 0}
    assert ranking.hypervolume == pytest.approx(0.01)


@pytest.mark.parametrize("status", ["running", "failed", "killed"])
def test_trial_that_is_not_finished_has_no_rank(status):
    assert rank(table([(1.0, 1.0)], (P, R), status)).ranks == {}


def test_reference_is_the_bound_or_else_the_worst_seen():
    ranking = rank(table([(1.0, 1.0, 2.0), (0.5, 0.5, 7.0)], (P, R, F)))
    assert ranking.reference == {"precision": 0.0, "recall": 0.0, "fid": 7.0}
    assert ranking.hypervolume == pytest.approx(1 * 1 * 5)


def test_bounds_follow_the_direction_and_density_has_none_above():
    lowest = (Goal("precision", "min"), Goal("density", "min"))
    assert rank(table([(0.5, 1.5), (0.2, 0.5)], lowest)).reference == {"precision": 1.0, "density": 1.5}
    assert rank(table([(0.5, 1.5)], (P, D))).reference["density"] == 0.0


def test_shares_have_their_corner_at_0_whatever_was_seen():
    shares = ("quality", "modes_hit", "modes_held", "coverage")
    goals = tuple(Goal(name, "max") for name in shares)
    assert reference_point(table([(0.9,) * 4, (0.5,) * 4], goals)) == dict.fromkeys(shares, 0.0)
    lowest = tuple(Goal(name, "min") for name in shares)
    assert reference_point(table([(0.9,) * 4], lowest)) == dict.fromkeys(shares, 1.0)


def test_budgets_are_ranked_by_their_own_values_to_one_corner():
    def trial(name, one, two):
        readings = {PLAIN: {"precision": one[0], "fid": one[1]}, K2: {"precision": two[0], "fid": two[1]}}
        return Trial(name, name, "finished", {}, readings)

    both = TrialTable("t", (P, F), (trial("a", (0.5, 1.0), (0.6, 9.0)), trial("b", (0.4, 2.0), (0.7, 3.0))))
    assert rank(both).ranks == {"a": 0, "b": 1}
    assert rank(both, K2).ranks == {"a": 1, "b": 0}
    assert rank(both).reference == rank(both, K2).reference == {"precision": 0.0, "fid": 9.0}
    assert rank(both, At("obrs", 3.0)).ranks == rank(both, At("other", 2.0)).ranks == {}


def test_the_reading_is_kept_with_the_ranking():
    one = table([(1.0, 1.0)], (P, R))
    assert rank(one).at == PLAIN
    assert rank(one, K2).at == K2
    assert rank(one, At("obrs", 1.0)).ranks == {"0": 0}, "at K = 1 every refinement is the model as it is"


def test_the_bounds_are_the_catalogues_of_the_sweep():
    beauty = Goal("beauty", "max")
    known = Catalogue.of([Entry("beauty", "Beauty", "", "max", -5.0)])
    rows = [(1.0,), (3.0,)]
    assert reference_point(table(rows, (beauty,))) == {"beauty": 1.0}, "of an unknown metric the worst seen"
    assert reference_point(replace(table(rows, (beauty,)), catalogue=known)) == {"beauty": -5.0}
    assert math.isnan(reference_point(table([], (beauty,)))["beauty"])


def many_goals(count, goals):
    """Trials none of which dominates another: points of a sphere."""
    rng = np.random.default_rng(0)
    rows = np.abs(rng.normal(size=(count, goals)))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    objectives = tuple(Goal(f"g{i}", "max") for i in range(goals))
    known = Catalogue.of([Entry(g.metric, g.metric, "", "max", 0.0) for g in objectives])
    return replace(table(rows.tolist(), objectives), catalogue=known)


def test_a_hypervolume_that_would_take_too_long_is_left_out_and_the_ranks_are_not():
    began = time.perf_counter()
    ranking = rank(many_goals(400, 8))
    assert math.isnan(ranking.hypervolume)
    assert ranking.unmeasured == "that of 400 trials under 8 objectives would take too long"
    assert len(ranking.front) == 400
    few = rank(many_goals(40, 8))
    assert few.unmeasured is None
    assert 0 < few.hypervolume < 1
    assert time.perf_counter() - began < 2


def test_dominated_trials_do_not_lengthen_a_hypervolume():
    behind = many_goals(400, 8)
    best = replace(behind.trials[0], id="best", readings={PLAIN: {g.metric: 1.0 for g in behind.goals}})
    assert rank(replace(behind, trials=(*behind.trials, best))).hypervolume == pytest.approx(1.0)


def test_a_volume_beyond_all_numbers_is_none():
    ranking = rank(
        table([(1e300, 1e-300), (1e-300, 1e300), (0.0, -1e300), (-1e300, 0.0)], (F, Goal("x", "min")))
    )
    assert math.isnan(ranking.hypervolume)
    assert ranking.unmeasured == "no number is as large"
