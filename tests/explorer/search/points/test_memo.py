"""A memo keeps what was asked as it was; what is damaged is set aside and said, not obeyed."""

from __future__ import annotations

import json
import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.search.points.memo import Kept, Notes, Tried, read_notes
from tests.explorer.search.spaces import KeptMemo

points = st.dictionaries(
    st.text(max_size=5), st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3), max_size=3
)


@given(st.lists(points, max_size=5), st.lists(points, max_size=2))
def test_notes_are_read_as_they_were_written(
    asked: list[dict[str, float]], tried: list[dict[str, float]]
) -> None:
    notes = Notes(
        [Kept(point, {"trial": {"n": 1}}) for point in asked], [Tried(p, {"fid": 0.1}) for p in tried]
    )
    assert Notes.parse(notes.text()) == notes


def test_without_a_memo_nothing_was_asked() -> None:
    assert read_notes(None, dry=False) == Notes()
    assert read_notes(KeptMemo(), dry=False) == Notes()
    assert Notes().earlier is None, "nobody looked yet"


GOOD = json.loads(Notes([Kept({"x": 1})], []).text())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "3",
        json.dumps({**GOOD, "version": 2}),
        json.dumps({**GOOD, "points": None}),
        json.dumps({**GOOD, "points": [[{"x": 1}]]}),
        json.dumps({**GOOD, "points": [[3, {}]]}),
        json.dumps({**GOOD, "earlier": {}}),
        json.dumps(GOOD)[:-9],
        "[" * 100_000,
    ],
)
def test_a_damaged_memo_is_set_aside_and_said(text: str, caplog: pytest.LogCaptureFixture) -> None:
    memo = KeptMemo(text)
    with caplog.at_level(logging.WARNING):
        assert read_notes(memo, dry=True) == Notes()
        assert memo.text == text, "a plan changes nothing"
        assert read_notes(memo, dry=False) == Notes()
    assert memo.text is None
    said = caplog.records[-1].getMessage()
    assert (
        said
        == "the memo of the search is damaged (it is aside now); the search suggests from its beginning again"
    )
