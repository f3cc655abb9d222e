"""Ctrl-C while a sweep runs: once, to save and stop; twice, to stop now."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType

__all__ = ["Interrupts"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, a polite end, and a terminal that is closed."""


class Interrupts:
    """Listens while its block runs. The first signal is noted in ``asked``; the next one is a KeyboardInterrupt.

    A command begun with ``nohup`` is deaf to its terminal's end and stays so. Only a main thread can listen; in another
    nothing is changed.
    """

    def __init__(self, tell: Callable[[], None]) -> None:
        """``tell`` is called at the first signal."""
        self._tell = tell
        self._before: dict[int, object] = {}
        self.asked = False

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                if number == signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN:
                    continue
                self._before[number] = signal.signal(number, self._hear)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler or signal.SIG_DFL)  # type: ignore[arg-type]  # None: not set from Python
        self._before.clear()

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        self._tell()
