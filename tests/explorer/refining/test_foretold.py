"""What theory says of budgets: the stretched curve of a law, read in another way, or that of neighbours beside it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import nan

import pytest
import torch
from scipy.optimize import brentq

from explorer.refining.foretold import Foretold, foretold
from explorer.refining.subject import Subject
from explorer.store.schema import TRADE_OFFS
from tests.explorer.refining.known_subject import alpha, normal_subject
from trainables.evaluation.settings import EvaluationConfig
from trainables.refinements import REFINEMENTS
from trainables.refinements.budgeted import Budgeted

MEAN = (1.0, 0.5)
DISTANCE = math.hypot(*MEAN)
BUDGETS = (1.0, 1.5, 2.0, 4.0, 8.0)
OTHERS = [
    kind for kind in REFINEMENTS.loaded().values() if issubclass(kind, Budgeted) and kind.name != "obrs"
]


def told(
    subject: Subject, measured: Mapping[str, float], budgets: Sequence[float] = BUDGETS, count: int = 1000
) -> Foretold | None:
    points = next(subject.model.pools(11)).points[:count]
    return foretold(subject, budgets, measured, points)


def lam_where(value: float, recall: bool = False) -> float:
    """The λ at which the curve has that precision, or that recall: by the formula, of which no table is made."""

    def beyond(log_lam: float) -> float:
        lam = math.exp(log_lam)
        return alpha(lam, DISTANCE) / (lam if recall else 1.0) - value

    return math.exp(brentq(beyond, math.log(0.002), math.log(500)))


@pytest.mark.parametrize("value", [0.2, 0.5, 0.8, 0.95])
def test_precision_is_stretched_along_the_curve_of_the_law(value: float) -> None:
    found = told(normal_subject(mean=MEAN), {"precision": value})
    assert found is not None
    assert found.source == "the law of the data"
    lam = lam_where(value)
    for budget in BUDGETS:
        stretched = min(1.0, budget * alpha(lam / budget, DISTANCE))
        assert found.at(budget) == pytest.approx({"precision": stretched}, abs=2e-3)
    assert found.at(1.0)["precision"] == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("value", [0.2, 0.5, 0.8, 0.95])
def test_recall_stays_until_precision_is_one(value: float) -> None:
    """β'_λ = α'_λ/λ: at the λ of the model as it is, where α is stretched from λ/K."""
    found = told(normal_subject(mean=MEAN), {"recall": value})
    assert found is not None
    lam = lam_where(value, recall=True)
    for budget in BUDGETS:
        expected = min(1.0, budget * alpha(lam / budget, DISTANCE)) / lam
        assert found.at(budget) == pytest.approx({"recall": expected}, rel=2e-2, abs=2e-3)


def test_largest_f_of_curves_follows_too_and_distances_do_not() -> None:
    found = told(normal_subject(mean=MEAN), {"prd.f8": 0.9, "prd.f1_8": 0.9, "fid": 3.0, "density": 1.0})
    assert found is not None
    for budget in BUDGETS:
        curve = [(lam, min(1.0, budget * alpha(lam / budget, DISTANCE))) for lam in TRADE_OFFS]
        expected = {
            name: max((1 + s * s) * a * (a / lam) / (s * s * a + a / lam) for lam, a in curve)
            for name, s in {"prd.f8": 8.0, "prd.f1_8": 1 / 8}.items()
        }
        assert found.at(budget) == pytest.approx(expected, abs=2e-3)


def test_of_a_budget_that_nobody_asked_for_nothing_is_foretold() -> None:
    found = told(normal_subject(mean=MEAN), {"precision": 0.5}, [2.0])
    assert found is not None
    assert set(found.metrics) == {2.0}
    assert found.at(3.0) == {}


@pytest.mark.parametrize("kind", OTHERS, ids=lambda kind: kind.name)
def test_nothing_is_foretold_of_other_methods(kind: type[Budgeted]) -> None:
    assert told(normal_subject(kind(), mean=MEAN), {"precision": 0.5, "recall": 0.5}) is None


@pytest.mark.parametrize("lawful", [True, False])
def test_nothing_is_foretold_where_no_metric_follows_from_the_curve(lawful: bool) -> None:
    subject = normal_subject(mean=MEAN, lawful=lawful)
    assert told(subject, {"fid": 3.0, "coverage": 0.5, "density": 1.0}) is None
    assert told(subject, {}) is None
    assert told(subject, {"precision": nan, "recall": nan}) is None
    found = told(subject, {"precision": nan, "recall": 0.5})
    assert found is not None
    assert {name for budget in BUDGETS for name in found.at(budget)} == {"recall"}


@pytest.mark.parametrize("distance", [0.5, 1.0, 2.0])
def test_without_a_law_neighbours_tell_about_the_same(distance: float) -> None:
    """A share of 1,000 samples has a standard error of ½/√1000 at most: three of these, stretched K-fold."""
    evaluation = EvaluationConfig(samples=1000)
    subject = normal_subject(mean=(0.6 * distance, 0.8 * distance), evaluation=evaluation, lawful=False)
    value = alpha(1.0, distance)
    found = told(subject, {"precision": value, "recall": value})
    assert found is not None
    assert found.source == "a classifier of nearest neighbours"
    for budget in (1.0, 1.5, 2.0, 4.0):
        stretched = min(1.0, budget * alpha(1 / budget, distance))
        for name in ("precision", "recall"):
            assert found.at(budget)[name] == pytest.approx(stretched, abs=3 * budget / math.sqrt(1000)), (
                budget
            )


def test_neighbours_look_at_a_thousand_samples_and_no_more() -> None:
    evaluation = EvaluationConfig(samples=1500)
    subject = normal_subject(mean=MEAN, evaluation=evaluation, lawful=False)
    few, many = (told(subject, {"precision": 0.6}, count=count) for count in (1000, 1500))
    assert few == many
    assert told(subject, {"precision": 0.6}, count=900) != few


@pytest.mark.parametrize("count", [30, 100, 300])
def test_of_few_samples_too_a_larger_budget_is_foretold_to_do_no_harm(count: int) -> None:
    """A curve is concave, so that K α_{λ/K} grows with K; what neighbours tell of few samples is not."""
    grown = (1.0, 1.1, 1.5, 2.0, 3.0, 4.0, 8.0)
    for step in range(8):
        mean = (0.3 + 0.4 * step, 0.0)
        subject = normal_subject(mean=mean, evaluation=EvaluationConfig(samples=count), lawful=False)
        for value in (0.1, 0.5, 0.9):
            found = told(subject, {"precision": value, "recall": value}, grown, count)
            assert found is not None
            for name in ("precision", "recall"):
                values = [found.at(budget)[name] for budget in grown]
                assert min(after - before for before, after in pairwise(values)) > -1e-9, (mean, value, name)
                assert 0 <= values[0] <= values[-1] <= 1


def test_copies_of_the_data_are_foretold_to_stay_good() -> None:
    subject = normal_subject(mean=MEAN, evaluation=EvaluationConfig(samples=1000), lawful=False)
    real = torch.as_tensor(subject.real.points) + 1e-6
    found = foretold(subject, [1.0, 4.0], {"precision": 0.9}, real)
    assert found is not None
    assert found.at(4.0)["precision"] >= found.at(1.0)["precision"] == pytest.approx(0.9, abs=0.05)
