"""What a command is doing, on standard error: at once on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

__all__ = ["told"]

EVERY = 10.0
"""Seconds between two lines where nobody may be watching: what is done sooner says nothing."""


@contextmanager
def told(first: str, every: float = EVERY) -> Iterator[Callable[[str], None]]:
    """What comes back is told what is done now, ``first`` to begin with; standard output is left alone.

    A log gets what is being done every so many seconds, and how long it has been: also in the middle of a long step.
    """
    from rich.console import Console
    from rich.markup import escape

    console = Console(stderr=True)
    if console.is_terminal:
        with console.status(escape(first)) as status:
            yield lambda text: status.update(escape(text))
        return
    now, over = [first], Event()
    teller = Thread(target=_tell, args=(now, over, every), daemon=True)
    teller.start()
    try:
        yield lambda text: now.__setitem__(0, text)
    finally:
        over.set()
        teller.join()


def _tell(now: list[str], over: Event, every: float) -> None:
    begun = monotonic()
    while not over.wait(every):
        try:
            print(f"tradeoff: {now[0]} ({monotonic() - begun:.0f} s)", file=sys.stderr, flush=True)
        except (OSError, ValueError):  # nobody reads it any more
            return
