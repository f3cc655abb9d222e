"""A URL carries a view there and back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.filters import Bound, OneOf, Span
from app.view import View, checked, from_query, to_query
from explorer.results.table import TrialTable
from tests.app.made_sweep import NEWER, SPARKLE, TWO_METHODS, read_table

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
    method=st.none() | words,
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
    query=st.dictionaries(
        st.sampled_from(["x", "k", "method", "paths", "status", "range.a", "bound.b", "in.c", "z"]),
        st.lists(st.text() | st.sampled_from(["2", "obrs", "critic_loss", "draws"])),
    )
)
def test_any_url_gives_a_view(table: TrialTable, query: dict[str, list[str]]) -> None:
    view, _ = from_query(query)
    again, complaints = checked(view, table)
    at = table.reading(again.budget, again.method)
    assert again.budget in table.budgets(again.method)
    assert {again.x, again.y, again.colour} <= {*table.metric_names(at), *table.varying()}
    assert checked(again, table) == (again, [])
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


def test_values_unknown_to_the_sweep_are_told_and_replaced(table: TrialTable) -> None:
    asked = View(
        "made",
        x="nope",
        budget=3.0,
        method="nobody",
        trial="nobody",
        filters=(Bound("speed", 1.0), Bound("fid", 9.0)),
    )
    view, complaints = checked(asked, table)
    assert view == View("made", filters=(Bound("fid", 9.0),))
    assert complaints == [
        "this sweep was not read through 'nobody'; it has obrs.",
        "this sweep was not read at K = 3; it has K = 1, 1.5, 2, 4.",
        "there is no column 'nope' at K = 1; showing 'recall' instead.",
        "this sweep has no trial 'nobody'.",
        "this sweep has nothing to filter by 'speed'.",
    ]


def test_a_diagnostic_is_a_column_where_it_was_seen_only(table: TrialTable) -> None:
    asked = View("made", y="critic_loss", colour="lam_below")
    assert checked(asked, table) == (asked, [])
    view, complaints = checked(replace(asked, budget=2.0), table)
    assert (view.y, view.colour, view.budget) == ("precision", "fid", 2.0)
    assert complaints[0] == "there is no column 'critic_loss' at K = 2; showing 'precision' instead."
    assert len(complaints) == 2


def test_each_method_has_its_own_budgets(store_uri: str) -> None:
    two = read_table(store_uri, TWO_METHODS)
    asked = View(TWO_METHODS, method="other", budget=3.0)
    assert checked(asked, two) == (asked, [])
    view, complaints = checked(replace(asked, method="obrs"), two)
    assert view == View(TWO_METHODS, method="obrs")
    assert complaints == ["this sweep was not read at K = 3; it has K = 1, 1.5, 2, 4."]
    view, complaints = checked(View(TWO_METHODS, budget=3.0), two)
    assert (view.method, view.budget, len(complaints)) == (None, 1.0, 1), "no method named is the first one"


def test_a_metric_unknown_to_the_code_can_be_asked_for(store_uri: str) -> None:
    asked = View(NEWER, x=SPARKLE.key, colour=SPARKLE.key, filters=(Bound(SPARKLE.key, 3.0),))
    assert checked(asked, read_table(store_uri, NEWER)) == (asked, [])


def test_a_sweep_without_the_usual_columns_shows_its_own_and_nobody_complains(table: TrialTable) -> None:
    readings = [{at: {"coverage": 0.5, "density": 0.4} for at in t.readings} for t in table]
    odd = replace(table, trials=tuple(replace(t, readings=r) for t, r in zip(table, readings, strict=True)))
    view, complaints = checked(View("made"), odd)
    assert complaints == []
    assert {view.x, view.y} == {"coverage", "density"}
