"""What a sweep's run says of its deletion."""

from __future__ import annotations

import json
from typing import Any

import pytest

from explorer.store.deletion_mark import is_mark, mark_of, marked
from explorer.store.schema import DELETED, TAG_LIMIT


@pytest.mark.parametrize("count", [0, 1, 100, 101, 1234])
def test_any_number_of_runs_is_remembered_in_tags_that_a_server_takes(count: int) -> None:
    before = [f"{number:032x}" for number in range(count)]
    tags = mark_of(before)
    assert marked(tags) == set(before)
    assert list(tags)[-1] == DELETED, "until it is there no deletion has begun"
    assert all(is_mark(key) and len(text) <= TAG_LIMIT for key, text in tags.items())
    few = mark_of(before[:1])
    assert marked({**tags, **few}) == set(before[:1]), "what an earlier deletion left behind means nothing"
    assert marked({key: text for key, text in tags.items() if key != DELETED}) == frozenset()


@pytest.mark.parametrize(
    "told", [None, 5, {}, {"before": 5}, {"more": 10**9}, {"more": "x"}, {"before": [1, None]}]
)
def test_what_others_wrote_is_no_run(told: Any) -> None:
    assert marked({DELETED: json.dumps(told), f"{DELETED}.1": "{"}) == frozenset()


def test_one_of_an_earlier_version_is_read() -> None:
    assert marked({DELETED: '{"at":"2026","before":["a","b"]}'}) == {"a", "b"}


def test_other_tags_are_none() -> None:
    assert not is_mark("tradeoff.deletedly")
    assert not is_mark("tradeoff.lease")
