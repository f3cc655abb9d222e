"""λ, α and groups as columns: NaN where a trial has none, groups whatever λ, the seed and the base are."""

from __future__ import annotations

import math

import numpy as np

from explorer.goals import Goal
from explorer.results.columns import Columns
from explorer.results.lambda_columns import alphas_of, lambda_groups, lambda_of, lambdas_of, point_without
from explorer.results.table import Scalar, Trial, TrialTable
from explorer.store.schema import PLAIN, TRADE_OFFS
from tests.explorer.results.peaked import peaked


def columns(*params: dict[str, Scalar], alphas: tuple[float, ...] = ()) -> Columns:
    trials = tuple(
        Trial(f"{i:012x}", f"run{i}", "finished", found, {PLAIN: {}}, alphas=alphas if i == 0 else ())
        for i, found in enumerate(params)
    )
    return Columns(TrialTable("t", (Goal("precision", "max"),), trials))


def test_what_is_no_number_is_no_lambda() -> None:
    found = columns(
        {"objective.lam": 2},
        {"objective.lam": "2"},
        {"objective.lam": True},
        {"objective.lam": math.inf},
        {},
        {"objective.lam": 1.0, "objective.lams": "[0.1, 10]"},
    )
    np.testing.assert_array_equal(lambdas_of(found), [2.0, *[math.nan] * 5])
    assert [lambda_of(trial) for trial in found.trials] == [2.0, *[None] * 5]


def test_curves_that_are_not_known_are_nan() -> None:
    found = alphas_of(columns({}, {}, alphas=peaked(1.0)))
    assert found.shape == (2, len(TRADE_OFFS))
    np.testing.assert_array_equal(found[0], peaked(1.0))
    assert np.isnan(found[1]).all()
    assert alphas_of(columns()).shape == (0, len(TRADE_OFFS))


def test_groups_are_whatever_lambda_and_seed_are() -> None:
    found = columns(
        {"objective.lam": 1.0, "seed": 0, "width": 8, "rate": 0.1, "start.from": "a"},
        {"objective.lam": 2.0, "seed": 1, "width": 8, "rate": 0.2, "start.from": "b"},
        {"objective.lam": 1.0, "seed": 0, "width": 9, "rate": 0.1},
        {"objective.lam": 3.0, "seed": 0, "width": 8, "rate": 0.1},
    )
    assert lambda_groups(found, ()).tolist() == [0, 1, 2, 0]
    assert lambda_groups(found, ("rate",)).tolist() == [0, 0, 1, 0]
    left = point_without(found.trials[0], frozenset(("objective.lam", "rate")))
    assert left == (("width", False, 8),)
