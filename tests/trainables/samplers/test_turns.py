"""Short works pass long ones, and nobody waits for longer than it may."""

from __future__ import annotations

import threading
from time import monotonic

import pytest

from trainables.samplers.turns import OutOfTime, Turns

FAR = 60.0


def test_who_waits_comes_before_who_has_just_had_a_turn() -> None:
    turns, order = Turns(), list[str]()
    until = monotonic() + FAR

    def once(name: str) -> None:
        with turns.turn(until):
            order.append(name)

    with turns.turn(until):
        waiting = []
        for name in ("first", "second"):
            waiting.append(threading.Thread(target=once, args=(name,)))
            waiting[-1].start()
            while len(turns._queue) <= len(waiting):
                pass
    once("again")  # who lets go and asks again at once
    for thread in waiting:
        thread.join()
    assert order == ["first", "second", "again"]


def test_one_works_at_a_time() -> None:
    turns, busy, most = Turns(), [0], [0]

    def work() -> None:
        for _ in range(200):
            with turns.turn(monotonic() + FAR):
                busy[0] += 1
                most[0] = max(most[0], busy[0])
                busy[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]


def test_time_ends_also_for_who_waits_and_leaves_no_trace() -> None:
    turns = Turns()
    with turns.turn(monotonic() + FAR), pytest.raises(OutOfTime), turns.turn(monotonic() + 0.01):
        pass
    with pytest.raises(OutOfTime), turns.turn(monotonic() - 1):
        pass
    with pytest.raises(KeyError), turns.turn(monotonic() + FAR):
        raise KeyError("what goes wrong in a turn ends it too")
    with turns.turn(monotonic() + FAR):
        assert len(turns._queue) == 1
    assert not turns._queue
