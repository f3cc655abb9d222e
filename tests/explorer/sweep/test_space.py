"""Spaces: grids are products and unions; ranges are what they say; what is no space is refused."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.errors import UserError
from explorer.search import Study
from explorer.search.points.dice import Dice
from explorer.search.random import Random
from explorer.sweep import load_sweep
from explorer.sweep.axes import Condition, Interval, Listed, as_text
from explorer.sweep.space import Space
from tests.explorer.sweep.refusal import refusal


def points(assignment: str, *more: str) -> list[dict[str, object]]:
    return list(load_sweep("demo", [assignment, *more]).space.grid())


def test_a_mapping_is_a_product_the_last_axis_fastest() -> None:
    grid = points("space={objective.lam: [1, 2], training.generator_lr: [0.1, 0.2]}")
    assert [tuple(p.values()) for p in grid] == [(1, 0.1), (1, 0.2), (2, 0.1), (2, 0.2)]


def test_a_list_is_a_union() -> None:
    grid = points("space=[{objective.lam: [1, 2]}, {objective.name: [kl, gan]}]")
    assert grid == [
        {"objective.lam": 1},
        {"objective.lam": 2},
        {"objective.name": "kl"},
        {"objective.name": "gan"},
    ]


def test_ranges_walk_from_end_to_end() -> None:
    assert [p["objective.lam"] for p in points("space={objective.lam: {log_range: [0.01, 100], steps: 5}}")] == [
        0.01, 0.1, 1.0, 10.0, 100.0,
    ]  # fmt: skip
    widths = points("space={training.batch_size: {range: [32, 64], steps: 3}}")
    assert [p["training.batch_size"] for p in widths] == [32, 48, 64]
    assert all(isinstance(p["training.batch_size"], int) for p in widths)


def test_a_whole_section_can_vary() -> None:
    sweep = load_sweep("demo", ["space={objective: [{name: pr, lam: 3}, {name: hinge}]}"])
    trials = [sweep.trial(point, 0) for point in sweep.space.grid()]
    assert [(t.objective.name, t.params().get("objective.lam")) for t in trials] == [
        ("pr", 3.0),
        ("hinge", None),
    ]


@given(low=st.floats(1e-3, 1.0), factor=st.floats(1.1, 1e4), log=st.booleans(), seed=st.integers(0, 100))
def test_random_draws_stay_inside(low: float, factor: float, log: bool, seed: int) -> None:
    axis = Interval(low, low * factor, log=log, whole=False, steps=None)
    space = Space(({"x": axis},))
    drawn = Random(trials=20, seed=seed).source(space, 20, Study()).ask(20)
    assert all(low * (1 - 1e-9) <= one.point["x"] <= low * factor * (1 + 1e-9) for one in drawn)
    again = Random(trials=20, seed=seed).source(space, 20, Study()).ask(20)
    assert drawn == again, "a restart must find the same points"


def test_probes_combine_what_no_axis_refuses_alone() -> None:
    few = Space(({"a": Listed((1, 2)), "b": Listed((3, 4)), "c": Listed((5, 6))},))
    assert {tuple(point.values()) for point in few.probes()} == set(product((1, 2), (3, 4), (5, 6)))
    many = Space(({path: Listed(tuple(range(5))) for path in "abcdefg"},))  # 78,125 combinations
    visited = [tuple(point.values()) for point in many.probes()]
    pairs = {tuple(sorted(pair)) for pair in visited if sum(map(bool, pair)) <= 2}
    assert len(visited) == len(set(visited)) == 1 + 7 * 4 + 21 * 16
    assert len(pairs) == 1 + 4 + 10


def test_many_boxes_share_the_combinations_that_are_looked_at() -> None:
    box = {path: Interval(0.0, 1.0, log=False, whole=False, steps=None) for path in "abcdefghijkl"}
    space = Space((box,) * 100)  # 409,600 combinations
    alone = len(list(space.alone()))
    assert len(list(space.probes())) - alone == 100 * math.comb(12, 2)
    assert len(list(Space((box,)).probes())) == 13 + 2**12


@st.composite
def conditional_boxes(draw: st.DrawFn) -> dict[str, Listed]:
    """Up to five axes of up to three values, each on any number of those that come before it in some order."""
    paths = [f"p{i}" for i in range(draw(st.integers(1, 5)))]
    counts = {path: draw(st.integers(1, 3)) for path in paths}
    box = {}
    for i, path in enumerate(paths):
        others = draw(st.lists(st.sampled_from(paths[:i]), unique=True, max_size=2)) if i else []
        when = tuple(
            Condition(
                other,
                frozenset(map(as_text, draw(st.sets(st.integers(0, counts[other] - 1), max_size=2)))),
                draw(st.booleans()),
            )
            for other in others
        )
        box[path] = Listed(tuple(range(counts[path])), when=when)
    return {path: box[path] for path in draw(st.permutations(paths))}


def brute(box: dict[str, Listed]) -> set[str]:
    """Every assignment of all axes, less the axes that do not apply in it."""
    found = set()
    for values in product(*(axis.options for axis in box.values())):
        given = dict(zip(box, values, strict=True))
        whole: dict[str, int] = {}
        for path in sorted(box):  # the order of dependence
            if box[path].applies(whole):
                whole[path] = given[path]
        found.add(as_text(whole))
    return found


@given(conditional_boxes())
def test_a_conditional_grid_is_brute_force_without_duplicates(box: dict[str, Listed]) -> None:
    space = Space((box,))
    walked = [as_text(point) for point in space.grid()]
    assert len(walked) == len(set(walked)) == space.size()
    assert set(walked) == brute(box)


@given(conditional_boxes(), st.integers(0, 1000))
def test_every_point_of_a_conditional_space_is_spelled_and_met_by_draws(
    box: dict[str, Listed], seed: int
) -> None:
    space = Space((box, {"q": Listed((1, 2))}))
    grid = {as_text(point) for point in space.grid()}
    for choose in (space.choose, space.choose_everywhere):
        point = choose(Dice(seed))
        assert as_text(point) in grid
        assert space.spelled(point) is not None
    assert space.spelled({**point, "other": 1}) is None
    for probe in space.probes():
        assert as_text(probe) in grid


@given(conditional_boxes())
def test_probes_show_every_value_that_some_point_has(box: dict[str, Listed]) -> None:
    space = Space((box,))
    shown = {(p, v) for point in space.probes() for p, v in point.items()}
    assert shown == {(p, v) for point in space.grid() for p, v in point.items()}


def test_conditions_in_a_circle_are_refused() -> None:
    with pytest.raises(UserError, match="must not go in a circle, and those of a, b do"):
        Space(
            (
                {
                    "a": Listed((1,), when=(Condition("b", frozenset({"1.0"})),)),
                    "b": Listed((1,), when=(Condition("a", frozenset({"1.0"})),)),
                },
            )
        )


def test_points_are_counted_without_making_them() -> None:
    many = Listed(tuple(range(1000)))
    half = (Condition("p0", frozenset(map(as_text, range(500)))),)
    box = {"p0": many, **{f"p{i}": many for i in range(1, 6)}, "last": Listed((1, 2, 3), when=half)}
    assert Space((box,)).size() == 1000**5 * (500 * 3 + 500)
    chain = {
        f"p{i}": Listed((0, 1), when=(Condition(f"p{i - 1}", frozenset({"1.0"})),) if i else ())
        for i in range(60)
    }
    assert Space((chain,)).size() == 61, "each one goes on from the last"
    wide = {f"p{i}": Listed((0, 1)) for i in range(30)}
    wide["last"] = Listed((0, 1), when=tuple(Condition(f"p{i}", frozenset({"1.0"})) for i in range(30)))
    with pytest.raises(UserError, match="may go 10,000 ways at most"):
        Space((wide,)).size()


def test_covering_points_show_every_two_values_once() -> None:
    steps = Interval(0.0, 1.0, log=False, whole=False, steps=50)
    space = Space(({"a": steps, "b": Listed(tuple(range(4))), "c": Listed(("x", "y"))},))
    covering = list(space.covering(space.grid()))
    assert len(covering) < 60 < space.size()
    for one, other in (("b", "c"), ("a", "b"), ("a", "c")):
        ends = {0.0, 1.0, *range(4), "x", "y"}
        every = {(p[one], p[other]) for p in space.grid() if p[one] in ends and p[other] in ends}
        assert every <= {(p[one], p[other]) for p in covering}


def test_thousands_of_millions_of_points_are_refused_or_cut() -> None:
    axes = ", ".join(
        f"training.{name}: {{range: [0.1, 0.9], steps: 1000}}" for name in ("ema", "beta1", "beta2")
    )
    assert "at most 20,000 trials, got 1,000,000,000" in refusal(f"space={{{axes}}}", "seeds=1")
    cut = load_sweep("demo", [f"space={{{axes}}}", "search.trials=20000"])
    assert cut.space.size() == 10**9


def test_a_search_refuses_a_space_with_a_combination_that_cannot_be_trained() -> None:
    space = "space={model.name: [realnvp, mlp_gan], objective.name: [pr, mle]}"
    for search in ("random", "tpe", "nsga2"):
        with pytest.raises(
            UserError, match="objective 'mle' needs a likelihood, which model 'mlp_gan' lacks"
        ):
            load_sweep("demo", [space, f"search={{name: {search}, trials: 1}}"])


def test_probes_visit_the_ends_of_every_axis() -> None:
    space = Space(
        (
            {"a": Listed((1, 2, 3)), "b": Interval(0.0, 8.0, log=False, whole=True, steps=None)},
            {"c": Listed(("x",))},
        )
    )
    assert list(space.alone()) == [
        {"a": 1, "b": 0}, {"a": 2, "b": 0}, {"a": 3, "b": 0}, {"a": 1, "b": 8}, {"c": "x"}
    ]  # fmt: skip
    assert space.paths() == ["a", "b", "c"]
