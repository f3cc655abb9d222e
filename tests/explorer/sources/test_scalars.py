"""Texts as values: what spells a number is one, all else is text."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.sources.scalars import FORMULA, as_cell, as_metric, as_scalar, from_cell
from explorer.store.foreign import clean


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3), ("-3", -3), (" 7 ", 7), ("1e-3", 0.001), (".5", 0.5), ("2.", 2.0), ("True", True), ("false", False),
        ("", None), ("None", None), ("abc", "abc"), ("1_000", "1_000"), ("0x10", "0x10"), ("nan", "nan"),
        ("inf", "inf"),
        ("1e999", "1e999"), ("١٢٣", "١٢٣"), ("9" * 30, float("9" * 30)), ("9" * 18, 10**18 - 1),
        (str(2**63 - 1), 2**63 - 1), (str(2**63), 2.0**63), ("1" * 100, "1" * 100), ("a\x1bb", "a�b"),
    ],
)  # fmt: skip
def test_what_a_text_spells(text: str, value: object) -> None:
    found = as_scalar(text)
    assert found == value
    assert type(found) is type(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_finite_number_comes_back(value: float) -> None:
    assert as_metric(repr(value)) == value


@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    found = as_scalar(text)
    assert not isinstance(found, float) or math.isfinite(found)
    assert (as_metric(text) is None) == (not isinstance(found, int | float) or isinstance(found, bool))


@given(st.text() | st.sampled_from(["007", "'007", "True", "1e-3", "null", " x", "", "''", "=A1", "'=A1"]))
def test_a_text_in_a_cell_is_that_text_again_and_no_spreadsheet_runs_it(text: str) -> None:
    cell = as_cell(text)
    assert isinstance(cell, str)
    assert from_cell(cell) == clean(text)
    assert not cell.startswith(FORMULA)


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**63), 2**63 - 1) | st.booleans())
def test_numbers_and_truths_in_cells_keep_their_kind(value: float) -> None:
    found = from_cell(str(as_cell(value)))
    assert (found, type(found)) == (value, type(value))


def test_a_cell_of_quotes_alone_is_read_at_once() -> None:
    assert from_cell("'" * 100_000) == "'" * 99_999
