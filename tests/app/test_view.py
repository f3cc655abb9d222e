"""A URL carries a view there and back."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.brush import Brush
from app.filters import Bound, OneOf, Span
from app.view import MOST_PINS, View, from_query, to_query
from explorer.goals import Goal

words = st.text(min_size=1, max_size=12)
floats = st.floats(-1e6, 1e6)
filters = st.lists(
    st.one_of(
        st.builds(OneOf, words, st.frozensets(words, min_size=1, max_size=3)),
        st.builds(lambda name, ends: Span(name, *sorted(ends)), words, st.tuples(floats, floats)),
        st.builds(Span, words, floats, st.none()),
        st.builds(Span, words, st.none(), floats),
        st.builds(Bound, words, floats),
    ),
    max_size=4,
    unique_by=lambda f: (type(f), f.name),
).map(tuple)
views = st.builds(
    View,
    sweep=st.none() | words,
    x=st.none() | words,
    y=st.none() | words,
    colour=st.none() | words,
    budget=st.floats(1, 1e3),
    method=st.none() | words,
    dominated=st.booleans(),
    paths=st.booleans(),
    z=st.none() | words,
    size=st.none() | words,
    symbol=st.none() | words,
    panel=st.none() | words,
    space=st.sampled_from(["plane", "space", "parallel"]),
    seeds=st.booleans(),
    attained=st.booleans(),
    iso=st.booleans(),
    preference=st.none() | st.floats(0, 1),
    cost=st.none() | words,
    limit=st.none() | st.floats(0, 1e6),
    replay=st.none() | st.integers(1, 10**6),
    times=st.booleans(),
    along=st.none() | words,
    stretch=st.none() | st.tuples(floats, floats).filter(lambda ends: ends[0] < ends[1]),
    points=st.none() | st.integers(1, 100),
    trial=st.none() | words,
    pins=st.lists(words, max_size=6, unique=True).map(tuple),
    beside=st.lists(words, max_size=4, unique=True).map(tuple),
    goals=st.lists(
        st.builds(Goal, words, st.sampled_from(["max", "min"])),
        max_size=4,
        unique_by=lambda goal: goal.metric,
    ).map(tuple),
    brush=st.none() | st.just(Brush("box", ((0.1, 0.2), (0.5, 1.0)))),
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


@pytest.mark.parametrize(
    ("key", "value", "part"),
    [
        ("k", "0.5", "budget K must be a number ≥ 1, got '0.5'"),
        ("k", "nan", "got 'nan'"),
        ("paths", "yes", "'paths' must be 0 or 1, got 'yes'"),
        ("range.objective.lam", "a..b", "filter on 'objective.lam' could not be read: 'a..b'"),
        ("range.objective.lam", "..", "filter on 'objective.lam' could not be read: '..'"),
        ("range.objective.lam", "3", "filter on 'objective.lam' could not be read: '3'"),
        ("range.objective.lam", "1..x", "filter on 'objective.lam' could not be read: '1..x'"),
        ("bound.fid", "inf", "filter on 'fid'"),
        ("status", "great", "status must be one of"),
        ("space", "hyper", "'space' must be one of plane, space, parallel, got 'hyper'"),
        ("preference", "2", "'preference' must be a number from 0 to 1, got '2'"),
        ("replay", "2.5", "'replay' must be a whole number ≥ 1, got '2.5'"),
        ("limit", "-1", "'limit' must be a number ≥ 0, got '-1'"),
        ("stretch", "0.3..0.2", "'stretch' must be two growing numbers, a..b, got '0.3..0.2'"),
        ("stretch", "0.3..", "'stretch' must be two growing numbers"),
        ("goal", "precision", "objectives could not be read"),
        ("brush", "box:1,2", "the brush could not be read: 'box:1,2'"),
    ],
)
def test_unreadable_values_are_told(key: str, value: str, part: str) -> None:
    view, complaints = from_query({key: [value]})
    assert view == View()
    assert len(complaints) == 1
    assert part in complaints[0]


def test_an_open_end_of_a_range_is_left_out() -> None:
    assert to_query(View(filters=(Span("objective.lam", 1.0, None),))) == {"range.objective.lam": "1.0.."}
    assert from_query({"range.a": ["..3"]})[0].filters == (Span("a", None, 3.0),)
    assert from_query({"range.a": ["5..1"]}) == (View(), ["filter on 'a' could not be read: '5..1'."])


def test_what_nobody_set_is_not_in_the_url() -> None:
    assert to_query(View("made")) == {"sweep": "made"}


def test_more_pins_than_can_be_compared_are_told() -> None:
    view, complaints = from_query({"pin": [f"made/{i}" for i in range(MOST_PINS + 2)]})
    assert len(view.pins) == MOST_PINS
    assert "at most 6 trials can be compared, got 8" in complaints[0]
