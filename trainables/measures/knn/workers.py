"""Tiles on as many threads as torch may use, each tile by one thread.

A tile that is multiplied by all threads together makes each of them wait for the slowest, twenty times per tile when
what follows the product is threaded too, and a busy machine has a slow one always. A tile per thread stays in that
core's cache from its product to its last comparison, and nobody waits before the end.

What they do wait for is the interpreter, at the end of every operation. So an operation should be a large one: tiles of
a million entries, and few operations per tile.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from threading import Barrier
from typing import TypeVar

import torch

__all__ = ["each"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def each(action: Callable[[Item], Result], items: Sequence[Item], device: torch.device) -> list[Result]:
    """``action`` of every item, in order; items are begun in order, and on a CPU several are under way at a time.

    NumPy and torch let go of the interpreter while they compute. The first error is raised, and what has not begun by
    then never does. An action that calls ``each`` itself has but one thread for it.
    """
    threads = torch.get_num_threads()
    if device.type != "cpu" or min(threads, len(items)) <= 1:
        return [action(item) for item in items]
    return list(_pool(threads, os.getpid()).map(action, items))


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
