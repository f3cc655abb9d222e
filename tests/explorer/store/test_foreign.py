"""Text of others can be printed anywhere, and JSON of others is read or is none."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.store.foreign import clean, load_json


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
