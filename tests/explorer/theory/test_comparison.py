"""The comparison of two laws: numbers against their definitions, and a JSON form that is strict."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings

from explorer.errors import UserError
from explorer.theory import compare
from tests.trainables.precision_recall.laws import law_pairs

P, Q = (0.5, 0.3, 0.2), (0.2, 0.2, 0.6)


def test_the_worked_example_by_hand() -> None:
    result = compare(P, Q, [0.5, 1, 2])
    p, q = np.array(P), np.array(Q)
    assert result.divergences == pytest.approx(
        {
            "kl": float((p * np.log(p / q)).sum()),
            "reverse_kl": float((q * np.log(q / p)).sum()),
            "tv": 0.4,
            "jeffreys": float(((p - q) * np.log(p / q)).sum()),
            "js": float((p * np.log(2 * p / (p + q))).sum() + (q * np.log(2 * q / (p + q))).sum()) / 2,
            "chi2": float(((p - q) ** 2 / q).sum()),
            "hellinger": float(((np.sqrt(p) - np.sqrt(q)) ** 2).sum()),
        }
    )
    assert [(r.lam, r.precision, r.recall) for r in result.curve] == [
        (0.5, pytest.approx(0.45), pytest.approx(0.9)),
        (1.0, pytest.approx(0.6), pytest.approx(0.6)),
        (2.0, pytest.approx(0.8), pytest.approx(0.4)),
    ]
    assert dict(result.pr_divergence) == pytest.approx({0.5: 0.05, 1.0: 0.4, 2.0: 0.2})
    refined = result.refined
    assert (refined.budget, refined.constant, refined.acceptance) == pytest.approx((2, 0.6, 0.5))
    assert refined.law == pytest.approx((0.4, 0.36, 0.24))
    assert [r.precision for r in refined.curve] == pytest.approx([0.5, 0.9, 1.0])
    assert refined.improvement == pytest.approx(1 / 1.5)
    assert (result.support_precision, result.support_recall, result.largest_ratio) == pytest.approx(
        (1, 1, 2.5)
    )


@settings(max_examples=25)
@given(law_pairs())
def test_every_comparison_is_strict_json_and_coherent(pair: tuple[np.ndarray, np.ndarray]) -> None:
    result = compare(pair[0].tolist(), pair[1].tolist(), budget=3.0)
    document = json.loads(json.dumps(result.document(), allow_nan=False))
    assert len(document["curve"]) == len(document["pr_divergence"]) == len(document["refined"]["curve"])
    for row, divergence in zip(document["curve"], document["pr_divergence"], strict=True):
        assert row["precision"] == pytest.approx(row["lambda"] * row["recall"], abs=1e-9)
        assert min(1, row["lambda"]) - row["precision"] == pytest.approx(divergence["value"], abs=1e-9)
        assert row["lambda"] == divergence["lambda"]
    for before, after in zip(result.curve, result.refined.curve, strict=True):
        assert after.precision >= before.precision - 1e-9
        assert after.recall >= before.recall - 1e-9
    assert result.auc <= result.refined.auc + 1e-9
    assert result.refined.acceptance >= 1 / 3 - 1e-12


def test_the_default_curve_holds_its_own_maxima() -> None:
    """The bends are on the default grid, so F_8 and F_1/8 can be read off the points."""
    result = compare(P, Q)
    for s, expected in ((8, result.f8), (1 / 8, result.f1_8)):
        scores = [(1 + s**2) * r.precision * r.recall / (s**2 * r.precision + r.recall) for r in result.curve]
        assert max(scores) == pytest.approx(expected, abs=1e-12)


def test_infinities_are_null_in_json_and_infinite_in_python() -> None:
    result = compare([0.5, 0.5], [1.0, 0.0], budget=1.0)
    assert result.divergences["kl"] == math.inf
    document = result.document()
    assert document["divergences"]["kl"] is None
    assert document["largest_ratio"] is None
    assert document["refined"]["constant"] is None
    assert document["refined"]["acceptance"] == 1.0


@pytest.mark.parametrize(
    ("real", "model", "lambdas", "budget", "message"),
    [
        (
            [0.5, 0.6],
            [0.5, 0.5],
            None,
            2,
            "probabilities of real must sum to 1, got 1.1; divide each by the sum",
        ),
        ([0.5, 0.5], [1.5, -0.5], None, 2, "every probability of model must be ≥ 0, got -0.5"),
        ([0.5, 0.5], [1.0], None, 2, "same number of probabilities, got 2 and 1"),
        ([1.0], [1.0], [-1.0], 2, "trade-off of lambdas must be in .*, got -1"),
        ([1.0], [1.0], [], 2, "got none"),
        ([1.0], [1.0], [math.inf], 2, "got inf"),
        ([1.0], [1.0], None, 0.5, r"budget K must be ≥ 1, got 0\.5; use budget 1 to accept every sample"),
    ],
)
def test_bad_input_is_the_users_to_mend(
    real: list[float], model: list[float], lambdas: list[float] | None, budget: float, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        compare(real, model, lambdas, budget)


def test_what_it_shows_of_itself_fits_a_screen() -> None:
    assert len(repr(compare([0.5, 0.3, 0.2], [0.2, 0.2, 0.6]))) < 1500
