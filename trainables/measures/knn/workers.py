"""Tiles on as many threads as torch may use, each tile by one thread.

A tile that is multiplied by all threads together makes each of them wait for the slowest, twenty times per tile when
what follows the product is threaded too, and a busy machine has a slow one always. A tile per thread stays in that
core's cache from its product to its last comparison, and nobody waits before the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

__all__ = ["each"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def each(action: Callable[[Item], Result], items: Sequence[Item], device: torch.device) -> list[Result]:
    """``action`` of every item, in order; items are begun in order, and on a CPU several are under way at a time.

    NumPy and torch let go of the interpreter while they compute. The first error is raised, and what has not begun by
    then never does.
    """
    threads = torch.get_num_threads()
    if device.type != "cpu" or min(threads, len(items)) == 1:
        return [action(item) for item in items]
    with ThreadPoolExecutor(
        min(threads, len(items)), initializer=torch.set_num_threads, initargs=(1,)
    ) as pool:
        try:
            return list(pool.map(action, items))
        finally:
            # A thread's number is its own, but threads to come would begin with the last one that was set.
            torch.set_num_threads(threads)
