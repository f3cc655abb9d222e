"""A sweep is over when its front stands still; what is not measured counts as nothing."""

from __future__ import annotations

import math

import pytest

from explorer.goals import parse_goals
from explorer.stopping.hypervolume import HypervolumePlateau

GOALS = parse_goals({"precision": "max", "fid": "min"})


def row(precision: float, fid: float) -> dict[str, float]:
    return {"precision": precision, "fid": fid}


START = [row(0.0, 10.0), row(0.5, 5.0), row(0.9, 9.0)]


def test_it_waits_until_nothing_is_added() -> None:
    stopper = HypervolumePlateau(patience=2, margin=0.05)
    assert stopper.enough(START[:2], GOALS) is None, "too few to tell"
    assert stopper.enough([*START, row(0.4, 6.0)], GOALS) is None, "one of the last two added"
    said = stopper.enough([*START, row(0.4, 6.0), row(0.1, 9.0)], GOALS)
    assert said == "the last 2 trials added no more than 5.00% to the hypervolume of 5"
    assert stopper.enough([*START, row(0.4, 6.0), row(0.95, 1.0)], GOALS) is None


def test_margin_is_a_share_of_the_volume() -> None:
    little = [*START, row(0.5, 4.9), row(0.5, 4.95)]
    assert HypervolumePlateau(patience=2, margin=0.1).enough(little, GOALS)
    assert HypervolumePlateau(patience=2, margin=0.0).enough(little, GOALS) is None


def test_trials_without_numbers_add_nothing() -> None:
    stopper = HypervolumePlateau(patience=1)
    assert stopper.enough([*START, row(math.nan, 1.0)], GOALS)
    assert stopper.enough([{}, {}], GOALS) is None, "nothing was measured yet"


@pytest.mark.parametrize(("changes", "said"), [({"patience": 0}, "≥ 1"), ({"margin": -1.0}, "≥ 0")])
def test_what_makes_no_sense_is_refused(changes: dict[str, float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        HypervolumePlateau(**changes).check()  # type: ignore[arg-type]
