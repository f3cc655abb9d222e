"""A name that is not known is answered with the one that was probably meant, or with those there are."""

from __future__ import annotations

import pytest

from trainables.nearest import listed, nearest


@pytest.mark.parametrize(
    ("name", "known", "told"),
    [
        ("demmo", ["demo", "flow"], "; did you mean 'demo'?"),
        ("xyz", ["demo", "flow"], "; it can be demo, flow"),
        ("xyz", [], ""),
        (7, ["seven", "eight"], "; it can be seven, eight"),
        (None, ["none", "some"], "; did you mean 'none'?"),
    ],
)
def test_the_nearest_name_or_all_there_are(name: object, known: list[str], told: str) -> None:
    assert nearest(name, known) == told


def test_other_words_may_stand_where_nothing_is_near() -> None:
    assert nearest("xyz", ["demo"], otherwise="; run `tradeoff presets`") == "; run `tradeoff presets`"
    assert nearest("dem", ["demo"], otherwise="") == "; did you mean 'demo'?"


def test_a_list_stays_within_a_sentence() -> None:
    assert listed(["a", "b"]) == "a, b"
    assert listed(map(str, range(40))) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 28 more"
    assert nearest("?", map(str, range(40))).endswith("11 and 28 more")


def test_a_name_without_end_is_no_misspelling() -> None:
    assert nearest("demo" * 100_000, ["demo"]) == "; it can be demo"
