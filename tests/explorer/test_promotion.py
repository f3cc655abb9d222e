"""Promotions: written by a word and the time, read back whatever others wrote."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from explorer.errors import UserError
from explorer.promotion import Promotion, demote, promote, promotion_of
from explorer.tracking import Tracker
from tests.stores import empty_store


@pytest.fixture
def run(tmp_path: Path) -> tuple[str, str]:
    """A store, and the run of a trial in it."""
    uri = empty_store(tmp_path)
    tracker = Tracker(uri, "tests")
    tracker.open_sweep("demo", {"fid": "min"}, "", "", "{}")
    tracker.start([("a" * 12, {"seed": 0})])
    return uri, tracker._child("a" * 12).run_id


def test_a_promotion_is_written_replaced_and_taken_away(run: tuple[str, str]) -> None:
    assert promotion_of(*run) is None
    assert demote(*run) is None
    before = datetime.now(UTC).replace(microsecond=0)
    made = promote(*run)
    assert made.tag == "champion"
    assert promotion_of(*run) == made
    assert made.at is not None
    assert before <= made.at <= datetime.now(UTC)
    assert promote(*run, tag="v2.1-final").tag == "v2.1-final"
    assert (found := demote(*run)) is not None
    assert found.tag == "v2.1-final"
    assert promotion_of(*run) is None


@pytest.mark.parametrize("tag", ["", "two words", "-x", "a" * 51, "né", "a\nb"])
def test_a_tag_that_is_no_word_is_refused(run: tuple[str, str], tag: str) -> None:
    with pytest.raises(UserError, match="a promotion's tag is letters, digits"):
        promote(*run, tag=tag)
    assert promotion_of(*run) is None


def test_a_run_that_is_not_there_is_told(run: tuple[str, str]) -> None:
    with pytest.raises(UserError, match="run 0000 cannot be changed"):
        promote(run[0], "0000")


def test_words_for_people() -> None:
    assert Promotion("best", datetime(2026, 1, 31, 12, tzinfo=UTC)).words() == "best since 31 January 2026"
    assert Promotion("best").words() == "best"


@given(some.none() | some.text(max_size=40))
def test_whatever_others_wrote_is_read_without_an_error(text: str | None) -> None:
    found = Promotion.parse(text)
    assert found is None or found.tag
    assert (found is None) == (not (text or "").strip())


def test_what_is_written_is_read_back() -> None:
    made = Promotion("x", datetime(2026, 5, 4, tzinfo=UTC))
    assert Promotion.parse(made.text()) == made
    assert Promotion.parse('{"tag": "x", "at": "yesterday"}') == Promotion("x")
    assert Promotion.parse('{"tag": 3}') == Promotion('{"tag": 3}')
