"""Curves by every estimator: those of ``curves.json`` and that of ``curve.json``, sound ones only."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from explorer.results.estimates import MOST_CURVES, curves_of, read_pr_curve
from tests.explorer.results.test_points import ANYTHING

PLAIN = {"lambda": [2.0, 0.5, 1.0], "precision": [0.8, 0.4, 0.6], "recall": [0.4, 0.8, 0.6]}


def test_a_curve_is_read_as_lambda_grows_without_what_cannot_be_drawn() -> None:
    raw = {
        "lambda": [2.0, 0.5, -1.0, None, 1.0],
        "precision": [0.8, 0.4, 0.5, 0.5, 2.0],
        "recall": [0.4, 0.8, 0.5, 0.5, 0.5],
        "error": [0.1, 0.2, 0.3, 0.4, 0.5],
        "source": "exact",
    }
    curve = read_pr_curve(raw)
    assert curve is not None
    assert curve.lam.tolist() == [0.5, 2.0]
    assert curve.precision.tolist() == [0.4, 0.8]
    assert curve.error.tolist() == [0.2, 0.1]
    assert curve.title == "Exact"
    assert "exact densities" in curve.sentence


def test_estimators_have_their_titles_and_the_stored_curve_comes_first() -> None:
    listed = [{"name": n, "title": n.upper(), "sentence": f"By {n}.", **PLAIN} for n in ("prd", "exact")]
    found = curves_of({"curves": listed}, {**PLAIN, "source": "exact"})
    assert list(found) == ["exact", "prd"]
    assert found["exact"].title == "EXACT"
    assert found["prd"].sentence == "By prd."
    assert list(curves_of(None, {**PLAIN, "source": "neighbours"})) == ["neighbours"]
    assert list(curves_of({"curves": listed[:1]}, {**PLAIN, "source": "exact"})) == ["exact", "prd"]


def test_long_lists_long_words_and_names_given_twice_are_cut() -> None:
    listed = [{"name": f"n{i}", "title": "t" * 500, **PLAIN} for i in range(50)]
    found = curves_of({"curves": [*listed[:3], listed[0], *listed]}, None)
    assert len(found) < MOST_CURVES
    assert all(len(curve.title) <= 60 for curve in found.values())


@pytest.mark.parametrize(
    "raw",
    [None, [], {}, {"lambda": 3}, {**PLAIN, "recall": [0.1]}, {**PLAIN, "precision": ["a", "b", "c"]}],
)
def test_what_is_no_curve_is_nothing(raw: object) -> None:
    assert read_pr_curve(raw) is None
    assert curves_of({"curves": [raw]}, raw) == {}  # type: ignore[arg-type]


@given(ANYTHING, ANYTHING)
def test_whatever_stands_there_is_read_without_an_error(one: object, other: object) -> None:
    found = curves_of(
        {"curves": [other, {**PLAIN, "name": one, "error": other}]}, {**PLAIN, "precision": one}
    )  # type: ignore[arg-type]
    for curve in found.values():
        assert np.isfinite(curve.precision).all()
        assert len(curve.lam) == len(curve.precision) == len(curve.recall)
