"""Seeds are repeats: the mean and spread of a point, over its finished trials, at one reading."""

import math

import pytest

from explorer.goals import Goal
from explorer.pareto import repeats
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, At


def trial(lam, seed, precision, status="finished", **metrics):
    identity = f"{lam}-{seed}"
    readings = {PLAIN: {"precision": precision, **metrics}, At("obrs", 2.0): {"precision": precision / 2}}
    return Trial(identity, identity, status, {"objective.lam": lam, "seed": seed}, readings)


TABLE = TrialTable(
    "t",
    (Goal("precision", "max"),),
    (trial(1.0, 0, 0.2), trial(2.0, 0, 0.9), trial(1.0, 1, 0.4, fid=3.0), trial(1.0, 2, 9.0, "killed")),
)


def test_seeds_of_a_point_are_pooled():
    one, two = repeats(TABLE)
    assert one.params == {"objective.lam": 1.0}
    assert (one.n, one.trials) == (2, ("1.0-0", "1.0-1"))
    assert one.mean["precision"] == pytest.approx(0.3)
    assert one.std["precision"] == pytest.approx(0.2 / math.sqrt(2))
    assert one.mean["fid"] == 3.0
    assert math.isnan(one.std["fid"])
    assert two.n == 1


def test_repeats_are_read_at_a_budget():
    assert repeats(TABLE, At("obrs", 2.0))[0].mean == {"precision": pytest.approx(0.15)}
