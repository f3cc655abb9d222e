"""Tiles on as many threads as torch may use, each tile by one thread.

A tile that is multiplied by all threads together makes each of them wait for the slowest, twenty times per tile when
what follows the product is threaded too, and a busy machine has a slow one always. A tile per thread stays in that
core's cache from its product to its last comparison, and nobody waits before the end.

What they do wait for is the interpreter, at the end of every operation, however small it was, and the longer the more
threads there are. So there should be few: tiles of a million entries, and few operations per tile.
"""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import lru_cache
from itertools import chain
from threading import Barrier, Lock
from time import monotonic
from typing import TypeVar

import torch
from torch import Tensor

__all__ = ["Countdown", "each", "in_shares"]

Item = TypeVar("Item")
Result = TypeVar("Result")

_TELLING = 0.5  # seconds between two words of progress


def each(
    action: Callable[[Item], Result],
    items: Sequence[Item],
    device: torch.device,
    progress: Callable[[float], None] | None = None,
) -> list[Result]:
    """``action`` of every item, in order; items are begun in order, and on a CPU several are under way at a time.

    NumPy and torch let go of the interpreter while they compute. The first error is raised, and what has not begun by
    then never does. An action that calls ``each`` itself has but one thread for it. ``progress`` hears now
    and then, on the caller's own thread, which part of the items is done.
    """
    threads = torch.get_num_threads()
    if device.type != "cpu" or min(threads, len(items)) <= 1:
        return [action(item) for item in _heard(items, progress)]
    results: dict[int, Result] = {}
    # All threads ask it for their next item; the interpreter lets one of them in at a time.
    turns = iter(range(len(items)))

    def work() -> None:
        try:
            for at in turns:
                results[at] = action(items[at])
        except BaseException:
            deque(turns, maxlen=0)
            raise

    pool, shares = _pool(threads, os.getpid()), deque[Future[None]]()
    try:
        for _ in range(min(threads, len(items))):
            shares.append(pool.submit(work))
        while shares:
            while progress is not None and wait([shares[0]], _TELLING).not_done:
                progress(len(results) / len(items))
            shares.popleft().result()  # no name for it: an error would keep all that is here, and be kept by it
    finally:
        deque(turns, maxlen=0)  # nothing more begins
        shares.clear()
    return [results[at] for at in range(len(items))]


def _heard(items: Sequence[Item], progress: Callable[[float], None] | None) -> Iterator[Item]:
    """The items, and a word of progress before one of them where the last word is some time ago."""
    told = monotonic()
    for at, item in enumerate(items):
        if progress is not None and monotonic() - told > _TELLING:
            progress(at / len(items))
            told = monotonic()
        yield item


def in_shares(action: Callable[[int, int], Tensor], n: int, step: int, device: torch.device) -> Tensor:
    """``action(start, stop)`` of 0…n, n ≥ 1, in pieces of at most ``step``, joined.

    Every thread has one share of the pieces, unless that is less than a whole one.
    """
    share = max(step, math.ceil(n / torch.get_num_threads()))

    def pieces(start: int) -> list[Tensor]:
        stop = min(n, start + share)
        return [action(first, min(stop, first + step)) for first in range(start, stop, step)]

    return torch.cat(list(chain(*each(pieces, range(0, n, share), device))))


class Countdown:
    """How often things are still needed, counted by many threads."""

    def __init__(self, uses: Mapping[int, int]) -> None:
        self._left = dict(uses)
        self._lock = Lock()

    def was_last(self, thing: int) -> bool:
        """Count one use; whether it was the last."""
        with self._lock:
            self._left[thing] -= 1
            return not self._left[thing]


@lru_cache(maxsize=1)
def _pool(threads: int, process: int) -> ThreadPoolExecutor:
    """Threads that compute alone, kept for the next call: to start them costs as much as a tile.

    The ``process`` is asked for because a fork inherits the pool, but not its threads.
    """
    pool = ThreadPoolExecutor(threads, initializer=_alone)
    met = Barrier(threads)
    list(pool.map(lambda _: met.wait(), range(threads)))
    # A thread's number is its own, but threads to come would begin with the last one that was set.
    torch.set_num_threads(threads)
    return pool


def _alone() -> None:
    torch.get_num_threads()  # a thread's first question sets its number; only then can it be changed to stay
    torch.set_num_threads(1)
