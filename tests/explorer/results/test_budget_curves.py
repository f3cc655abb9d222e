"""Configurations as curves in K, on a real table and on made ones."""

import numpy as np
import pytest

from explorer.goals import parse_goals
from explorer.results.budget_curves import BudgetCurves
from explorer.results.columns import Columns
from explorer.results.predicted import predict
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, TRADE_OFFS, At
from tests.app.conftest import store_uri
from tests.app.made_sweep import SEEDS, read_table

__all__ = ["store_uri"]

ALPHAS = tuple(float(min(0.6, lam)) for lam in TRADE_OFFS)


@pytest.fixture(scope="module")
def columns(store_uri):
    return Columns(read_table(store_uri))


def curves(columns, method="obrs"):
    return BudgetCurves.of(columns, np.ones(len(columns), dtype=bool), method)


def small(method="obrs"):
    """Two seeds of one configuration; the second has no curve."""
    trials = []
    for seed, precision in enumerate((0.6, 0.4)):
        readings = {PLAIN: {"precision": precision}, At(method, 2.0): {"precision": precision + 0.3}}
        alphas = ALPHAS if seed == 0 else ()
        params = {"objective.lam": 1.0, "seed": seed}
        trials.append(Trial(str(seed), str(seed), "finished", params, readings, alphas=alphas))
    return Columns(TrialTable("t", parse_goals({"precision": "max"}), tuple(trials)))


def test_values_are_means_over_seeds_at_every_budget(columns):
    found = curves(columns)
    values = found.values("precision")
    assert values.shape == (len(found), len(found.budgets))
    assert found.budgets[0] == 1
    for c, row in enumerate(found.first):
        same = [
            t for t in columns.trials if t.point() == columns.trials[row].point() and t.status == "finished"
        ]
        assert len(same) == found.seeds()[c]
        for k, budget in enumerate(found.budgets):
            expected = np.mean([t.at(found.reading(budget))["precision"] for t in same])
            assert values[c, k] == pytest.approx(expected)
    assert max(found.seeds()) == SEEDS


def test_a_row_finds_its_configuration(columns):
    found = curves(columns)
    assert found.holding(int(found.members[-1])) == found.which[-1]
    failed = int(np.flatnonzero(~columns.finished)[0])
    assert found.holding(failed) is None
    assert found.holding(None) is None


def test_the_prediction_is_that_of_the_seeds_whose_curve_is_known():
    found = curves(small())
    got = found.predicted("precision", [0], (1.0, 1.5, 2.0))
    expected = predict("precision", (1.0, 1.5, 2.0), [ALPHAS], [0.6])[0]
    np.testing.assert_allclose(got[0], expected)
    assert got[0][1] == pytest.approx(0.9)


def test_residuals_compare_what_the_same_seeds_measured():
    (first, second) = curves(small()).residuals("precision", [0])
    assert (first.budget, second.budget) == (1, 2)
    assert first.mean == pytest.approx(0, abs=1e-9)
    assert second.largest == pytest.approx(0.9 - 1.0)
    assert second.count == 1


def test_no_other_method_or_metric_is_predicted():
    assert np.isnan(curves(small("other"), "other").predicted("precision", [0], (2.0,))).all()
    assert curves(small("other"), "other").residuals("precision", [0]) == []
    assert curves(small()).residuals("fid", [0]) == []
