"""Trials beside each other: what differs, intervals over seeds, who is best as far as one can tell."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from explorer.goals import Goal
from explorer.pareto.comparison import Estimate, best_of, differing, estimate, estimates, shared
from explorer.results.columns import Columns
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, At

K2 = At("obrs", 2.0)


def trial(name: str, lam: float, seed: int, value: float, status: str = "finished", **ends: float) -> Trial:
    read = {PLAIN: {"precision": value, **ends}, K2: {"precision": value / 2}}
    return Trial(name, name, status, {"objective.lam": lam, "seed": seed, "batch": 8}, read)  # type: ignore[arg-type]


def columns(*trials: Trial) -> Columns:
    return Columns(TrialTable("s", (Goal("precision", "max"),), trials))


def test_what_differs_is_told_lambda_first_and_the_seed_last() -> None:
    points = [
        {"objective.lam": 1.0, "seed": 0, "a": 1, "b": 2, "start.from": "x"},
        {"objective.lam": 2.0, "seed": 1, "a": 1, "start.from": "y"},
    ]
    assert differing(points) == ["objective.lam", "b", "seed"]
    assert shared(points) == {"a": 1}
    assert differing(points[:1]) == []
    assert differing([]) == []
    assert shared([]) == {}
    assert differing([{"a": 1}, {"a": True}]) == ["a"]


@given(some.lists(some.dictionaries(some.sampled_from("abcd"), some.integers(0, 2)), min_size=1, max_size=5))
def test_every_field_of_the_first_differs_or_is_shared(points: list[dict[str, int]]) -> None:
    apart, alike = set(differing(points)), set(shared(points))
    assert apart.isdisjoint(alike)
    assert apart | alike == {path for point in points for path in point}


def test_an_interval_is_that_of_students_law() -> None:
    found = estimate([0.5, 0.6, 0.7, math.nan])
    assert found.value == pytest.approx(0.6)
    assert found.seeds == 3
    # t with two degrees of freedom at 97.5 % is 4.3027.
    assert found.high - found.value == pytest.approx(4.302653 * 0.1 / math.sqrt(3), rel=1e-5)
    assert found.value - found.low == pytest.approx(found.high - found.value)
    assert not estimate([0.5]).is_sure
    assert math.isnan(estimate([]).value)
    assert estimate([0.5, 0.5]) == Estimate(0.5, 0.5, 0.5, 2)


def test_the_interval_holds_the_mean_nineteen_times_in_twenty() -> None:
    rng = np.random.default_rng(1)
    inside = [(e := estimate(rng.normal(size=4))).low <= 0 <= e.high for _ in range(2000)]
    assert np.mean(inside) == pytest.approx(0.95, abs=0.02)


def test_metrics_are_means_over_the_finished_seeds_of_the_configuration() -> None:
    held = columns(
        trial("a", 1.0, 0, 0.4),
        trial("b", 2.0, 0, 0.9),
        trial("c", 1.0, 1, 0.6),
        trial("d", 1.0, 2, 0.0, "failed"),
    )
    found = estimates(held, 0, ["precision", "nobody"])
    assert found["precision"].value == pytest.approx(0.5)
    assert found["precision"].seeds == 2
    assert found["nobody"].seeds == 0
    assert estimates(held, 0, ["precision"], K2)["precision"].value == pytest.approx(0.25)
    assert estimates(held, 3, ["precision"])["precision"].value == pytest.approx(0.5)


def test_a_seed_beside_its_siblings_has_its_own_numbers() -> None:
    ends = {"precision.low": 0.35, "precision.high": 0.44}
    held = columns(trial("a", 1.0, 0, 0.4, **ends), trial("b", 1.0, 1, 0.6))
    assert estimates(held, 0, ["precision"], alone=True)["precision"] == Estimate(0.4, 0.35, 0.44, 1)
    assert estimates(held, 1, ["precision"], alone=True)["precision"].value == 0.6


def test_a_single_seed_has_the_interval_measured_with_it() -> None:
    ends = {"precision.low": 0.35, "precision.high": 0.44}
    held = columns(
        trial("a", 1.0, 0, 0.4, **ends), trial("b", 2.0, 0, 0.9), trial("c", 3.0, 0, 0.2, "running")
    )
    assert estimates(held, 0, ["precision"])["precision"] == Estimate(0.4, 0.35, 0.44, 1)
    assert not estimates(held, 1, ["precision"])["precision"].is_sure
    assert estimates(held, 2, ["precision"])["precision"].value == 0.2, "as far as it has come"


def test_the_best_are_those_that_cannot_be_told_from_the_best() -> None:
    def sure(value: float, half: float) -> Estimate:
        return Estimate(value, value - half, value + half, 3)

    three = [sure(0.5, 0.01), sure(0.8, 0.05), sure(0.78, 0.05)]
    assert best_of(three, "max") == {1, 2}
    assert best_of(three, "min") == {0}
    assert best_of(three, None) == frozenset()
    assert best_of(three[1:], "max") == frozenset(), "nobody stands out"
    nothing = Estimate(math.nan, math.nan, math.nan, 0)
    assert best_of([nothing, sure(0.5, 0.1)], "max") == frozenset()
    assert best_of([Estimate(0.5, math.nan, math.nan, 1), Estimate(0.6, math.nan, math.nan, 1)], "max") == {1}
