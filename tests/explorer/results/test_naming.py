"""A name holds what tells a trial from the others, and nothing else."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.results.naming import LONGEST, MAX_VALUE, Naming, cut, kind_of, number, plain, words_of

BASE = {"dataset.name": "gaussians8", "objective.name": "pr", "training.ema": 0.9}


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.123456, "0.123"), (2.0, "2"), (1e-5, "1.00e-05"), (123.4, "123"), (math.nan, "–"), (0.0, "0")],
)
def test_number(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "yes"),
        (False, "no"),
        (None, "–"),
        (0.05, "0.05"),
        (3, "3"),
        (1234567, "1234567"),
        ("kl", "kl"),
        (0.12345678, "0.1235"),
    ],
)
def test_plain(value, text: str) -> None:
    assert plain(value) == text


def test_a_name_has_lambda_first_and_the_seed_last() -> None:
    points = [
        {**BASE, "seed": seed, "constraint.lipschitz": bound, "objective.lam": lam}
        for seed in (0, 1)
        for bound in (5.0, 20.0)
        for lam in (0.1, 1.0)
    ]
    naming = Naming.of(points)
    assert naming.name(points[2]) == "λ 0.1 · L 20 · seed 0"
    assert list(naming.headings) == ["objective.lam", "constraint.lipschitz", "seed"]


def test_a_member_is_its_own_name_and_its_absence_is_told() -> None:
    points = [
        *({**BASE, "constraint.name": "spectral", "constraint.lipschitz": bound} for bound in (1.0, 5.0)),
        {**BASE, "constraint.name": "none"},
    ]
    assert [Naming.of(points).name(p) for p in points] == [
        "spectral · L 1",
        "spectral · L 5",
        "no constraint",
    ]
    assert Naming.of(points).headings["constraint.name"] == "constraint"


def test_headings_that_would_be_alike_are_whole_paths() -> None:
    naming = Naming.of([{"model.width": 1, "critic.width": 1}, {"model.width": 2, "critic.width": 3}])
    assert naming.name({"model.width": 2, "critic.width": 3}) == "critic.width 3 · model.width 2"


def test_what_only_some_have_tells_them_apart_where_nothing_else_does() -> None:
    points = [{"a.x": 1}, {"a.x": 1, "a.extra": 2}]
    assert [Naming.of(points).name(p) for p in points] == ["", "extra 2"]
    led = [{"a.name": "one"}, {"a.name": "two", "a.extra": 2}]
    assert [Naming.of(led).name(p) for p in led] == ["one", "two"]


def test_one_point_or_none_needs_no_name() -> None:
    assert Naming.of([BASE]).name(BASE) == ""
    assert Naming.of([]).headings == {}


def test_values_are_one_short_line() -> None:
    name = Naming.of([{"note": "x"}, {"note": "y"}]).name({"note": "a\nb\x1b" + "z" * 400})
    assert name.startswith("note a b z")
    assert name.endswith("…")
    assert len(name) == len("note ") + MAX_VALUE


values = st.sampled_from([1, 2, "pr", "kl", None, True])
points = st.lists(st.dictionaries(st.sampled_from(["a.name", "a.x", "b.x", "seed"]), values), max_size=6)


@given(points)
def test_points_that_differ_have_headings_that_tell_them_apart(points) -> None:
    telling = Naming.of(points).headings
    whole = {repr(sorted(p.items())) for p in points}
    assert len({repr([(k, p.get(k, "absent")) for k in telling]) for p in points}) == len(whole)


def test_a_value_too_long_to_be_shown_is_cut() -> None:
    assert plain("x" * LONGEST) == "x" * LONGEST
    assert plain("x" * 3_000_000) == "x" * (LONGEST - 1) + "…"
    assert cut("abcd", 3) == "ab…"
    assert cut("abc", 3) == "abc"


def test_bases_are_named_so() -> None:
    later = {**BASE, "objective.lam": 5.0, "start.from": "b", "start.kind": "k", "seed": 0}
    points = [{**BASE, "objective.name": "gan", "seed": 0}, later, {**later, "objective.lam": 1.0}]
    naming = Naming.of(points)
    assert [naming.name(point) for point in points] == ["base", "λ 5", "λ 1"]
    assert Naming.of(points[:2]).name(later) == "", "one trial beside its base"
    other = {**later, "start.kind": "l"}
    assert Naming.of([later, other]).name(other) == "base l"


def test_no_two_values_have_one_word() -> None:
    told = words_of([1 / 3, 0.33331, 123456, 123457, True, "yes", 1, 1.0, None, "2"])
    assert len(set(told.values())) == len(told) == 9
    assert told[kind_of(123456)] == "123456"
    assert told[kind_of("2")] == "2"
    assert told[kind_of("yes")] == "'yes'"
    seeds = [{"seed": 20240001}, {"seed": 20240002}]
    assert [Naming.of(seeds).name(point) for point in seeds] == ["seed 20240001", "seed 20240002"]
    rates = [{"a.lr": 0.123411}, {"a.lr": 0.123412}, {"a.lr": 0.5}]
    assert [Naming.of(rates).name(point) for point in rates] == ["lr 0.123411", "lr 0.123412", "lr 0.5"]


def test_a_naming_along_paths_names_whatever_comes() -> None:
    naming = Naming.along({"seed", "objective.lam", "training.ema"})
    params = {**BASE, "objective.lam": 0.12345, "seed": 3}
    assert naming.parts(params) == ["λ 0.1235", "ema 0.9", "seed 3"]
    assert naming.name({"seed": 3}) == "seed 3"
    assert Naming.along(set()).name(params) == ""
