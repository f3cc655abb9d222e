"""Text of others can be printed anywhere, and JSON of others is read or is none."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.store.foreign import as_number, as_text, as_whole, clean, load_json


@given(st.text(st.characters(codec=None), max_size=40))
def test_what_is_left_can_be_printed_and_harms_no_terminal(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode()
    assert len(cleaned) == len(text)
    assert all(ord(c) >= 32 or c in "\n\t" for c in cleaned)
    assert clean(cleaned) == cleaned


def test_text_of_people_stays_as_it_is() -> None:
    for text in ("λ = 0.1", "two\nlines\tand a tab", "naïve 👨‍👩‍👧 日本語", ""):
        assert clean(text) == text
    assert clean("\x1b[31mred\u202e\ud800") == "�[31mred��"


@pytest.mark.parametrize("text", [None, "", b"", "{", "NaN]", "[" * 100_000, b"\xff\xfe"])
def test_what_is_no_json_is_none(text: str | bytes | None) -> None:
    assert load_json(text) is None


def test_what_is_json_is_its_value() -> None:
    assert load_json('{"a": [1, "x"]}') == {"a": [1, "x"]}
    assert load_json(b"3") == 3
    assert load_json("[-99999999999999999, 1" + "0" * 30 + ", " + "9" * 5000 + "]") == [
        -(10**17) + 1,
        1e30,
        math.inf,
    ]


def test_what_stands_where_text_belongs_is_text() -> None:
    assert [as_text(value) for value in ("λ", b"\xffA", None, 3)] == ["λ", "�A", "", "3"]


def test_what_stands_where_numbers_belong_is_a_number_or_none() -> None:
    assert [as_number(value) for value in (1, 0.5, math.inf, "1", b"1", None)] == [
        1,
        0.5,
        math.inf,
        None,
        None,
        None,
    ]
    steps = (7, 2**63 - 1, 4.0, 1e300, math.nan, math.inf, "7", None)
    assert [as_whole(value) for value in steps] == [7, 2**63 - 1, 4, None, None, None, None, None]
