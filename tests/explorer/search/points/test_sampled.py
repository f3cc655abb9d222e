"""Optuna through ask and tell: it learns, over all objectives and constraints, and from what others tried."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from statistics import median

import optuna
import pytest

from explorer.search import Study
from explorer.search.gp import Gp
from explorer.search.nsga2 import Nsga2
from explorer.search.nsga3 import Nsga3
from explorer.search.optuna_search import OptunaSearch
from explorer.search.points.memo import Tried
from explorer.search.points.sampled import Sampled, gp_sampler, nsga2_sampler, nsga3_sampler, tpe_sampler
from explorer.search.tpe import Tpe
from explorer.sweep.axes import Interval, Listed, Point
from explorer.sweep.space import Space
from tests.explorer.search.spaces import KeptMemo, branched, scored

MEMBERS: list[OptunaSearch] = [Tpe(trials=1), Nsga2(trials=1, population=8), Nsga3(trials=1, population=8)]
each = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)

CUBE = Space(({path: Interval(0.0, 1.0, log=False, whole=False, steps=None) for path in "xyz"},))
"""Only x matters; genetic searches need others to mix it with."""
ONE = {"fid": "min"}


def study_of(sampled: Sampled) -> optuna.Study:
    return sampled._study


def tried(member: OptunaSearch, count: int, score: Callable[[Point], dict[str, float]], study: Study | None = None,
          space: Space = CUBE) -> list[Point]:  # fmt: skip
    source = member.source(space, count, study or Study())
    seen = []
    while not source.over:
        for one in source.ask(1):
            seen.append(one.point)
            source.tell(one.number, [score(one.point)])
    return seen


@pytest.mark.parametrize("member", [*MEMBERS, Gp(trials=1)], ids=lambda member: member.name)
def test_what_is_told_moves_later_points(member: OptunaSearch) -> None:
    few = isinstance(member, Gp)
    seen = tried(
        replace(member, objectives=ONE, batch=2), 18 if few else 60, lambda p: {"fid": abs(p["x"] - 0.9)}
    )
    off = [abs(point["x"] - 0.9) for point in seen]
    assert median(off[-5 if few else -20 :]) < median(off[:10]) / 2


@each
def test_constraints_steer(member: OptunaSearch) -> None:
    """Feasible is x ≥ 0.8, and the objective pulls to x = 0."""

    def score(point: Point) -> dict[str, float]:
        return {"fid": point["x"], "recall": point["x"]}

    held = replace(member, objectives=ONE, constraints={"recall": ">= 0.8"}, batch=4, seed=3)
    steered, free = tried(held, 60, score), tried(replace(held, constraints={}), 60, score)
    share = [sum(point["x"] >= 0.8 for point in part) / len(part) for part in (steered[:12], steered[-30:])]
    assert share[1] > max(0.4, 1.5 * share[0])
    assert sum(point["x"] >= 0.8 for point in free[-30:]) / 30 < share[1] / 2


def test_constraints_are_told_as_optuna_reads_them() -> None:
    member = Tpe(trials=1, objectives=ONE, constraints={"recall": ">= 0.3", "critic_slope": "<= 2"})
    sampled = Sampled(CUBE, member)
    for number in range(2):
        sampled.suggest(number)
    sampled.tell(0, [{"fid": 1.0, "recall": 0.2, "critic_slope": 1.0}])
    sampled.tell(1, [{"fid": 1.0, "recall": 0.5}])
    first, second = study_of(sampled).trials
    assert first.constraints == {"recall": pytest.approx(0.1), "critic_slope": -1.0}
    assert second.state == optuna.trial.TrialState.FAIL, "a constraint that was not measured"


def test_results_are_means_over_seeds_and_what_is_not_finite_is_a_failure() -> None:
    sampled = Sampled(branched(), Tpe(trials=1, objectives={"precision": "max", "fid": "min"}))
    nan, inf = math.nan, math.inf
    told = [
        [{"precision": 0.5, "fid": 1.0}, {"precision": 0.7, "fid": 3.0}],
        [],
        [{"precision": 0.5, "fid": nan}],
        [{"precision": 0.5, "fid": nan}, {"precision": 0.7, "fid": 2.0}],
        [{"precision": inf, "fid": 1.0}],
    ]
    for number, repeats in enumerate(told):
        sampled.suggest(number)
        sampled.tell(number, repeats)
    trials = study_of(sampled).trials
    assert [d.name for d in study_of(sampled).directions] == ["MAXIMIZE", "MINIMIZE"]
    assert trials[0].values == [pytest.approx(0.6), pytest.approx(2.0)]
    assert trials[3].values == [pytest.approx(0.6), 2.0]
    assert [t.state.name for t in trials] == ["COMPLETE", "FAIL", "FAIL", "COMPLETE", "FAIL"]


@each
def test_the_rebuilt_study_is_the_same_to_the_last_attribute(member: OptunaSearch) -> None:
    member = replace(member, constraints={"recall": ">= 0.4"})
    one, two = Sampled(branched(), member), Sampled(branched(), member)
    for number in range(30):
        point, extra = one.suggest(number)
        two.place(number, point, extra)
        if number >= 4:
            before = one._storage.get_trial(number - 4).params
            for sampled in (one, two):
                sampled.tell(
                    number - 4, [] if number == 9 else scored({"model.latent": 2, **_valued(before)})
                )
    for mine, theirs in zip(study_of(one).trials, study_of(two).trials, strict=True):
        assert (mine.params, list(mine.params)) == (theirs.params, list(theirs.params))
        assert mine.distributions == theirs.distributions
        assert (mine.state, mine.values, mine.system_attrs) == (
            theirs.state,
            theirs.values,
            theirs.system_attrs,
        )
    assert one._storage.get_study_system_attrs(one._id) == two._storage.get_study_system_attrs(two._id)
    assert one.suggest(30) == two.suggest(30)


def _valued(params: dict[str, object]) -> Point:
    return {path: value for path, value in params.items() if isinstance(value, int | float)}


def test_boxes_that_differ_in_an_axis_are_told_apart() -> None:
    space = Space(({"x": Listed((1, 2)), "z": Listed((5,))}, {"x": Listed((2, 3, 4)), "z": Listed((5,))}))
    assert space.names == [{"x": "x [0]", "z": "z"}, {"x": "x [1]", "z": "z"}]
    for member in MEMBERS:
        seen = tried(replace(member, objectives=ONE), 30, lambda p: {"fid": p["x"]}, space=space)
        assert sorted(point["x"] for point in seen) == [1, 2, 2, 3, 4] or len(seen) == 4


EARLIER = tuple(
    Tried({"x": i / 40, "y": i % 7 / 7, "z": i % 11 / 11}, {"fid": abs(i / 40 - 0.9)}) for i in range(41)
)


@each
def test_what_others_tried_is_learned_from_before_the_first_point(member: OptunaSearch) -> None:
    member = replace(member, objectives=ONE, batch=8)
    warm = tried(member, 8, lambda p: {"fid": 1.0}, Study(earlier=EARLIER))
    cold = tried(member, 8, lambda p: {"fid": 1.0})
    assert median(abs(p["x"] - 0.9) for p in warm) < median(abs(p["x"] - 0.9) for p in cold) / 2


@each
def test_what_it_began_with_is_noted_and_stays(member: OptunaSearch) -> None:
    memo = KeptMemo()
    member = replace(member, objectives=ONE, batch=2)
    first = tried(member, 6, lambda p: {"fid": p["x"]}, Study(memo, earlier=EARLIER))
    again = tried(member, 12, lambda p: {"fid": p["x"]}, Study(memo, earlier=EARLIER[:3]))
    whole = tried(member, 12, lambda p: {"fid": p["x"]}, Study(earlier=EARLIER))
    assert again == whole
    assert again[:6] == first


def test_of_what_others_tried_only_what_can_be_told_is() -> None:
    sampled = Sampled(CUBE, Tpe(trials=1, objectives=ONE))
    good = {"x": 0.25, "y": 0.5, "z": 1.0}
    sampled.begin([Tried({**good, "x": 0.5}, {"fid": math.nan}), Tried(good, {"fid": 2.0})])
    (trial,) = study_of(sampled).trials
    assert (trial.params, trial.values) == (good, [2.0])
    sampled.suggest(0)
    sampled.tell(0, [{"fid": 3.0}])
    assert study_of(sampled).trials[1].values == [3.0]


def test_nothing_is_said_of_experiments() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for member in (*MEMBERS, Gp(trials=1)):
            tried(replace(member, objectives=ONE), 3, lambda p: {"fid": p["x"]})


def test_mutated_genes_have_a_stream_of_their_own() -> None:
    space = Space(({path: Interval(0.0, 1.0, log=False, whole=False, steps=None) for path in "abcd"},))
    for member in MEMBERS[1:]:
        source = replace(member, objectives=ONE, batch=1).source(space, 160, Study())
        before: set[float] = set()
        drawn = []
        while not source.over:
            for one in source.ask(1):
                drawn += [v for v in one.point.values() if v not in before and one.number >= 8]
                before |= set(one.point.values())
                source.tell(one.number, [{"fid": sum(one.point.values())}])
        assert sum(value > 0.9 for value in drawn) / len(drawn) == pytest.approx(0.1, abs=0.06)


def test_samplers_are_optunas() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert isinstance(tpe_sampler(0, 10), optuna.samplers.TPESampler)
        assert isinstance(gp_sampler(0, 10), optuna.samplers.GPSampler)
        for made in (nsga2_sampler(0, 12), nsga3_sampler(0, 12)):
            assert isinstance(made, optuna.samplers.NSGAIISampler | optuna.samplers.NSGAIIISampler)
            assert made.population_size == 12
