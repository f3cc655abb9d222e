"""A plateau is so many evaluations in which no goal got better than it had been."""

from __future__ import annotations

import math

import pytest

from explorer.goals import parse_goals
from explorer.stopping.plateau import Plateau
from tests.explorer.stopping.histories import history

PRECISION = parse_goals({"precision": "max"})
BOTH = parse_goals({"precision": "max", "fid": "min"})


def ended(stopper: Plateau, goals: object = PRECISION, **series: list[float]) -> bool:
    return "a" in stopper.stop({"a": history(**series)}, goals)  # type: ignore[arg-type]


@pytest.mark.parametrize("patience", [1, 2, 3])
def test_patience_counts_evaluations_without_a_better_one(patience: int) -> None:
    for still in range(6):
        assert ended(Plateau(patience), precision=[0.5] * (1 + still)) == (still >= patience)


def test_a_late_improvement_starts_the_count_again() -> None:
    assert not ended(Plateau(2), precision=[0.5, 0.5, 0.6])
    assert not ended(Plateau(2), precision=[0.5, 0.5, 0.6, 0.6])
    assert ended(Plateau(2), precision=[0.5, 0.5, 0.6, 0.6, 0.55])


def test_one_goal_that_improves_is_enough() -> None:
    assert not ended(Plateau(2), BOTH, precision=[0.5, 0.5, 0.5], fid=[3.0, 3.0, 2.9])
    assert ended(Plateau(2), BOTH, precision=[0.5, 0.5, 0.5], fid=[3.0, 3.0, 3.1])


def test_the_direction_of_a_goal_counts() -> None:
    assert ended(Plateau(1), parse_goals({"fid": "min"}), fid=[3.0, 4.0])
    assert not ended(Plateau(1), parse_goals({"fid": "max"}), fid=[3.0, 4.0])


def test_what_stays_within_the_margin_is_no_improvement() -> None:
    assert ended(Plateau(1, margin=0.1), precision=[0.5, 0.6])
    assert not ended(Plateau(1, margin=0.09), precision=[0.5, 0.6])


def test_a_goal_that_was_never_measured_never_improves() -> None:
    assert ended(Plateau(1), BOTH, precision=[0.5, 0.5])


def test_a_goal_first_measured_late_is_an_improvement() -> None:
    late = [*history(precision=[0.5, 0.5]), *history(precision=[0.5], fid=[3.0])]
    assert Plateau(1).stop({"a": late}, BOTH) == {}


def test_trials_are_judged_by_themselves() -> None:
    still, rising = history(precision=[0.9, 0.9]), history(precision=[0.1, 0.2])
    reasons = Plateau(1).stop({"still": still, "rising": rising}, PRECISION)
    assert reasons == {"still": "no goal improved in 1 evaluation"}


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"patience": 0}, r"stopping\.patience must be ≥ 1, got 0"),
        ({"margin": -0.1}, r"stopping\.margin must be ≥ 0, got -0\.1"),
        ({"margin": math.nan}, r"stopping\.margin must be ≥ 0, got nan"),
        ({"margin": math.inf}, r"stopping\.margin must be ≥ 0, got inf"),
    ],
)
def test_impatience_is_refused(fields: dict[str, float], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Plateau(**fields)  # type: ignore[arg-type]


def test_a_value_that_is_no_number_is_as_bad_as_can_be() -> None:
    assert not ended(Plateau(2), precision=[math.nan, 0.1, 0.2, 0.3])
    assert ended(Plateau(1), precision=[0.5, math.nan])
