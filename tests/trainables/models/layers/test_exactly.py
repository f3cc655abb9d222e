"""What is asked for exactly is so within its block alone."""

from __future__ import annotations

from threading import Thread

import pytest

from trainables.models.layers.exactly import exactly, wanted_exactly


def test_it_holds_within_its_block_also_when_that_fails() -> None:
    assert not wanted_exactly()
    with exactly():
        with exactly():
            assert wanted_exactly()
        assert wanted_exactly()
    with pytest.raises(ZeroDivisionError), exactly():
        _ = 1 / 0
    assert not wanted_exactly()


def test_other_threads_know_nothing_of_it() -> None:
    seen: list[bool] = []
    with exactly():
        thread = Thread(target=lambda: seen.append(wanted_exactly()))
        thread.start()
        thread.join()
    assert seen == [False]
