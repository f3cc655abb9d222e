"""A URL carries a view there and back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.filters import Bound, OneOf, Span
from app.view import View, checked, from_query, to_query
from tests.app.made_sweep import made_table, made_trials

TABLE = made_table(made_trials(points=5))
words = st.text(min_size=1, max_size=12)
floats = st.floats(-1e6, 1e6)
filters = st.lists(
    st.one_of(
        st.builds(OneOf, words, st.frozensets(words, min_size=1, max_size=3)),
        st.builds(Span, words, floats, floats),
        st.builds(Bound, words, floats),
    ),
    max_size=4,
    unique_by=lambda f: (type(f), f.name),
).map(tuple)
views = st.builds(
    View,
    sweep=st.none() | words,
    x=words,
    y=words,
    colour=words,
    budget=st.floats(1, 1e3),
    dominated=st.booleans(),
    paths=st.booleans(),
    trial=st.none() | words,
    statuses=st.frozensets(st.sampled_from(["finished", "failed", "killed", "running"]), min_size=1),
    filters=filters,
)


@given(views)
def test_a_view_survives_its_url(view: View) -> None:
    query = {key: [value] if isinstance(value, str) else value for key, value in to_query(view).items()}
    back, complaints = from_query(query)
    assert complaints == []
    assert replace(back, filters=()) == replace(view, filters=())
    assert set(back.filters) == set(view.filters)


@given(
    st.dictionaries(
        st.sampled_from(["x", "k", "paths", "status", "range.a", "bound.b", "in.c", "z"]), st.lists(st.text())
    )
)
def test_any_url_gives_a_view(query: dict[str, list[str]]) -> None:
    view, _ = from_query(query)
    again, complaints = checked(view, TABLE)
    assert again.x in ("recall", *TABLE.metric_names(), *TABLE.varying(), "acceptance")
    assert checked(again, TABLE) == (again, [])
    assert all(isinstance(c, str) for c in complaints)


@pytest.mark.parametrize(
    ("key", "value", "part"),
    [
        ("k", "0.5", "budget K must be a number ≥ 1, got '0.5'"),
        ("k", "nan", "got 'nan'"),
        ("paths", "yes", "'paths' must be 0 or 1, got 'yes'"),
        ("range.objective.lam", "a..b", "filter on 'objective.lam' could not be read: 'a..b'"),
        ("bound.fid", "inf", "filter on 'fid'"),
        ("status", "great", "status must be one of"),
    ],
)
def test_unreadable_values_are_told(key: str, value: str, part: str) -> None:
    view, complaints = from_query({key: [value]})
    assert view == View()
    assert len(complaints) == 1
    assert part in complaints[0]


def test_values_unknown_to_the_sweep_are_told_and_replaced() -> None:
    asked = View(
        "made", x="nope", budget=3.0, trial="nobody", filters=(Bound("speed", 1.0), Bound("fid", 9.0))
    )
    view, complaints = checked(asked, TABLE)
    assert view == View("made", filters=(Bound("fid", 9.0),))
    assert len(complaints) == 4
