"""Sentences claim what the seeds allow, and say so where they allow nothing."""

from __future__ import annotations

from explorer.comparison.comparison import compare_sides
from explorer.comparison.significance import Difference
from explorer.comparison.words import chance, told
from tests.explorer.comparison.made import sides, table
from tests.explorer.comparison.test_comparison import HIGH, LOW


def words(*chosen: str, **values: list[dict[str, float]]) -> str:
    here = table({float(i): seeds for i, seeds in enumerate(values.values())})
    return " ".join(compare_sides(sides(*((here, one) for one in chosen))).sentences())


def test_who_is_better_in_what_and_what_may_be_luck() -> None:
    said = words("a0", "b0", low=LOW, high=HIGH)
    assert "B is better than A in precision, beyond luck." in said
    assert "B and A cannot be told apart in FID" in said
    assert "paired by seed" in said
    assert "corrected for 2 comparisons (Holm)" in said


def test_too_few_seeds_are_told_and_nothing_is_claimed() -> None:
    said = words("a0", "b0", low=LOW[:1], high=HIGH)
    assert "3 finished seeds of a configuration are the least: A has 1." in said
    assert "better" not in said
    assert "Tested" not in said


def test_single_seeds_of_one_configuration_tell_nothing_of_luck() -> None:
    assert "single seeds are compared" in words("a0", "a1", low=LOW)


def test_equal_values_are_called_equal() -> None:
    same = [{"precision": 1.0}] * 3
    assert "B and A are equal in precision." in words("a0", "b0", low=same, high=same)


def test_differences_and_chances_for_people() -> None:
    nan = float("nan")
    assert told(Difference(0.1, 0.05, 0.15, 0.5, 0.5, "welch", (3, 3))) == "+0.100 (+0.050 … +0.150)"
    assert told(Difference(-0.1, nan, nan, None, None, "none", (1, 1))) == "−0.100"
    assert told(Difference(0.0, nan, nan, None, None, "exact", (3, 3))) == "0.000"
    assert told(Difference(nan, nan, nan, None, None, "none", (0, 1))) == "–"
    assert [chance(p) for p in (0.0004, 0.0123, 0.3, 1.0)] == ["p < 0.001", "p 0.012", "p 0.3", "p 1"]
