"""Ctrl-C once is noted, twice raised; afterwards signals are heard as before."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from explorer.launch.interrupts import Interrupts


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


def test_in_another_thread_nothing_is_changed() -> None:
    heard = []

    def work() -> None:
        with Interrupts(lambda: None) as interrupts:
            heard.append((interrupts.asked, signal.getsignal(signal.SIGTERM)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert heard == [(False, signal.getsignal(signal.SIGTERM))]
