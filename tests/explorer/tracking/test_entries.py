"""Pieces of a trial wait as text and come back as they were."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.store.schema import At
from explorer.tracking.entries import Data, Entry, Fail, Files, Finish, Log, Note, Start, What

words = st.text(max_size=20)
scalars = st.one_of(words, st.booleans(), st.integers(), st.none(), st.floats(allow_nan=False))
budgets = st.floats(1, 1e6)
marks = st.dictionaries(
    st.builds(At, st.from_regex(r"[a-z]{1,8}", fullmatch=True), budgets), words, max_size=3
)
pieces = st.one_of(
    st.builds(
        Start,
        st.dictionaries(words, scalars, max_size=3),
        words,
        st.dictionaries(words, words, max_size=3),
        st.none() | st.builds(Data, words, words, words),
        st.booleans(),
    ),
    st.builds(
        Log,
        st.integers(0, 2**62),
        st.dictionaries(words, st.floats(allow_nan=False), max_size=5),
        st.none() | marks,
        st.none() | words,
    ),
    st.builds(Note, st.dictionaries(words, words, max_size=3)),
    st.builds(Files, st.dictionaries(words, words, max_size=3)),
    st.builds(Finish, st.none() | words),
    st.builds(Fail, words, words),
)


@given(words, st.integers(0, 2**62), pieces)
def test_a_piece_comes_back_as_it_was(trial: str, at: int, what: What) -> None:
    entry = Entry(trial, at, what)
    assert Entry.parse(trial, at, entry.kind(), entry.text()) == entry


def test_values_that_are_not_finite_come_back_too() -> None:
    entry = Entry("a", 1, Log(5, {"fid": math.nan, "loss": -math.inf}))
    what = Entry.parse("a", 1, "log", entry.text()).what
    assert isinstance(what, Log)
    assert math.isnan(what.metrics["fid"])
    assert what.metrics["loss"] == -math.inf


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("log", "{"),
        ("log", '{"step": 1}'),
        ("dance", "{}"),
        ("log", "[]"),
        ("note", '{"tags": {}, "more": 1}'),
    ],
)
def test_what_is_no_piece_is_refused(kind: str, text: str) -> None:
    with pytest.raises(ValueError, match=r"no entry|Expecting"):
        Entry.parse("a", 1, kind, text)
