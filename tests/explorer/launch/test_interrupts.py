"""Ctrl-C once is noted, twice raised; afterwards signals are heard as before."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from explorer.launch.interrupts import Interrupts


@pytest.fixture
def listening() -> Iterator[None]:
    """A terminal's end is heard, also if these tests were begun with ``nohup``."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before or signal.SIG_DFL)


@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_is_noted_the_second_raised(number: signal.Signals) -> None:
    before, told = signal.getsignal(number), []
    with Interrupts(lambda: told.append(1)) as interrupts:
        assert not interrupts.asked
        os.kill(os.getpid(), number)
        assert interrupts.asked
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
    assert told == [1]
    assert signal.getsignal(number) == before


def test_a_terminal_that_is_closed_does_not_matter_to_a_command_begun_with_nohup() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interrupts(lambda: None) as interrupts:
            os.kill(os.getpid(), signal.SIGHUP)
            assert not interrupts.asked
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before or signal.SIG_DFL)


def test_in_another_thread_nothing_is_changed() -> None:
    heard = []

    def work() -> None:
        with Interrupts(lambda: None) as interrupts:
            heard.append((interrupts.asked, signal.getsignal(signal.SIGTERM)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert heard == [(False, signal.getsignal(signal.SIGTERM))]
