"""Constraints on metrics: an operator and a number, nothing else."""

from __future__ import annotations

import pytest

from explorer.search.bounds import Bound, parse_bounds
from tests.explorer.sweep.refusal import refusal


def test_bounds_are_read_in_order() -> None:
    assert parse_bounds({"recall": ">= 0.3", "fid": "<=1e2", "x": " >= -.5 "}) == (
        Bound("recall", True, 0.3),
        Bound("fid", False, 100.0),
        Bound("x", True, -0.5),
    )
    assert parse_bounds({}) == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0.3",
        "> 0.3",
        "= 0.3",
        "=> 0.3",
        ">=",
        ">= 0.3 0.4",
        ">= 0,3",
        ">= nan",
        ">= inf",
        ">= 1e999",
        ">= x",
    ],
)
def test_what_is_no_bound_is_refused(text: str) -> None:
    with pytest.raises(
        ValueError, match=r"'recall' must be held by '>=' or '<=' and a number, such as '>= 0\.3'"
    ):
        parse_bounds({"recall": text})


def test_the_excess_is_positive_where_a_bound_is_missed() -> None:
    assert Bound("recall", True, 0.5).excess(0.25) == 0.25
    assert Bound("recall", True, 0.5).excess(0.5) == 0
    assert Bound("fid", False, 2.0).excess(1.0) == -1.0


def test_a_sweep_refuses_bounds_on_what_it_does_not_measure() -> None:
    search = "search={name: tpe, trials: 4, constraints: {recal: '>= 0.3'}}"
    assert "no metric is called 'recal'; did you mean 'recall'?" in refusal(search)
    assert "constraints" in refusal("search={name: tpe, trials: 4, constraints: {recall: [1]}}")
    assert "search 'grid' has no 'constraints'" in refusal(
        "search={name: grid, constraints: {recall: '>= 0.3'}}"
    )
