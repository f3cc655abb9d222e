"""Bases of a sweep: trained where they are not there, waited for, and the end of what begins at them if they fail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from explorer.errors import UserError
from explorer.launch.bases import Bases
from explorer.launch.earlier import Earlier
from explorer.launch.outcomes import Settled
from explorer.launch.packing import PlannedTrial
from trainables.config import TrainingConfig, TrialConfig
from trainables.objectives.fgan import Gan
from trainables.start import Start

BASE = TrialConfig(objective=Gan(), training=TrainingConfig(iterations=100))
START = Start.at(BASE, "fresh")
ID = START.base
GOOD, BAD = Settled({"fid": 1.0}), Settled({}, "diverged: …")


def planned(start: int = 0, begins: Start = START) -> PlannedTrial:
    config = TrialConfig(start=begins, training=TrainingConfig(iterations=50))
    return PlannedTrial(config.identity(), config, start, 50)


def bases(newest: Mapping[str, int] | None = None, **settled: Settled) -> Bases:
    have = newest or {}
    return Bases(lambda trial: have.get(trial, 0), Earlier(), dict(settled))


def opened(books: Bases, needed: bool = True) -> list[tuple[int, int]]:
    books.open(START, needed)
    return [(one.start, one.end) for one in books.to_train()]


def test_a_new_base_is_trained_once_and_waited_for() -> None:
    books = bases()
    assert opened(books) == [(0, 100)]
    assert opened(books) == []
    assert ID in books
    assert list(books) == [ID]
    assert books.hold(planned())
    assert books.fault(planned()) is None
    books.settle(ID, GOOD)
    assert not books.hold(planned())


def test_a_half_trained_base_goes_on_and_a_whole_one_is_only_read() -> None:
    half = bases({ID: 40})
    assert opened(half) == [(40, 100)]
    assert half.hold(planned())
    whole = bases({ID: 100})
    assert opened(whole) == [(100, 100)]
    assert not whole.hold(planned()), "nobody waits for a reading"
    assert whole.with_base(planned()).base == 100


def test_a_base_that_a_stopper_ended_is_whole() -> None:
    books = Bases(lambda trial: 60, Earlier(stops={ID: 60}), {ID: GOOD})
    assert opened(books) == []
    assert not books.hold(planned())


@pytest.mark.parametrize(
    ("needed", "newest", "due"),
    [(True, 100, []), (False, 0, []), (True, 0, [(0, 100)])],
    ids=["it is there", "nobody needs it", "its state is gone"],
)
def test_a_base_that_is_over_is_trained_again_only_for_its_state(needed: bool, newest: int, due: Any) -> None:
    assert opened(bases({ID: newest}, **{ID: GOOD}), needed) == due


def test_who_begins_at_a_base_that_failed_fails_with_it() -> None:
    books = bases(**{ID: BAD})
    assert opened(books) == []
    assert books.fault(planned()) == f"its base {ID} failed: diverged: …"
    assert books.fault(planned(start=10)) is None, "it has a state of its own"
    assert not books.hold(planned(start=10))


def test_a_base_of_elsewhere_must_be_there() -> None:
    elsewhere = Start("0123456789ab")
    books = bases({"0123456789ab": 7})
    books.open(elsewhere, needed=True)
    assert (books.to_train(), len(books)) == ([], 0)
    assert not books.hold(planned(begins=elsewhere))
    assert books.with_base(planned(begins=elsewhere)).base == 7
    bases().open(elsewhere, needed=False)
    with pytest.raises(UserError, match=r"has a checkpoint .*0123456789ab has none; train it first"):
        bases().open(elsewhere, needed=True)


def test_trials_without_a_start_have_nothing_to_wait_for() -> None:
    books = bases()
    books.open(None, needed=False)
    plain = PlannedTrial("a", BASE, 0, 10)
    assert not books.hold(plain)
    assert books.fault(plain) is None
    assert books.with_base(plain) is plain
