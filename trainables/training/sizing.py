"""How many trials train best side by side: measured, by a few iterations of populations that grow.

What a population of n trials takes of memory is a + b n, and both are seen from two sizes. How fast it is, in trials
times iterations a second, grows with n while most of a step is the cost of starting operations, and may fall where
arithmetic outgrows the caches. Neither is known beforehand, and the wrong guess costs a restart or half of the speed.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from trainables.config import TrialConfig
from trainables.training.population import Population

__all__ = ["Measured", "Size", "best_size", "measured_sizes"]

GROWTH = 4
"""From one size to the next."""
ITERATIONS = 3
"""At each size, after one to warm up; the fastest counts, since others may be at work."""
LONGEST = 3.0
"""Seconds after which no further size is tried."""
SHARE = 0.8
"""Of the memory that there is, so much is used: evaluations need theirs. Of the highest speed, so much will do."""


@dataclass(frozen=True)
class Measured:
    """A population of so many trials: seconds of an iteration, and the most bytes that were held for it."""

    trials: int
    seconds: float
    peak: int

    @property
    def rate(self) -> float:
        """Trials times iterations a second."""
        return self.trials / max(self.seconds, 1e-9)


@dataclass(frozen=True)
class Size:
    """So many trials at a time, and why not more; of all of them nothing is to be said."""

    trials: int
    reason: str = ""


def best_size(measured: Sequence[Measured], trials: int, room: int) -> Size:
    """The largest part of ``trials`` that fits into ``room`` bytes and trains about as fast as any that was tried."""
    fits, each = _fitting(measured, room)
    if fits < trials:
        reason = f"each takes about {_amount(each)}, of {_amount(room)} that there are"
        return _sooner(measured, Size(max(1, fits), reason))
    return _sooner(measured, Size(trials))


def _sooner(measured: Sequence[Measured], size: Size) -> Size:
    """Fewer, where those that fit were tried and the largest of them was slow."""
    tried = [one for one in measured if one.trials <= size.trials]
    if not tried:
        return size
    fastest = max(tried, key=lambda one: one.rate)
    if tried[-1].rate >= SHARE * fastest.rate:
        return size
    gain = fastest.rate / tried[-1].rate
    return Size(fastest.trials, f"{tried[-1].trials} at a time are {gain:.1f} times slower, each for itself")


def _fitting(measured: Sequence[Measured], room: int) -> tuple[int, int]:
    """How many fit, and the bytes of each, along the line through the two largest sizes."""
    if len(measured) < 2:
        return 2**62, 0
    small, large = measured[-2:]
    each = max(0, large.peak - small.peak) // (large.trials - small.trials)
    least = small.peak - each * small.trials
    return (int((SHARE * room - least) // each) if each else 2**62), each


def measured_sizes(configs: Sequence[TrialConfig], device: torch.device | str, room: int) -> list[Measured]:
    """Populations of 1, 4, 16, … of these trials, while the next is expected to fit and time is not up.

    They run eagerly: compiling every size would take longer than the wrong one costs.
    """
    configs = [replace(c, training=replace(c.training, compile=False)) for c in configs]
    found: list[Measured] = []
    device = torch.device(device)
    before = _held(device)
    began, size = time.monotonic(), 1
    while size <= len(configs) and time.monotonic() - began < LONGEST and _fitting(found, room)[0] >= size:
        try:
            seconds = _seconds(configs[:size], device)
        except torch.cuda.OutOfMemoryError:
            torch.cuda.empty_cache()
            break
        found.append(Measured(size, seconds, max(0, _held(device) - before)))
        size = len(configs) if size < len(configs) < GROWTH * size else GROWTH * size
    return found


def _seconds(configs: Sequence[TrialConfig], device: torch.device) -> float:
    """Of an iteration."""
    population = Population(configs, None, device)
    try:
        population.advance(1)
        return min(_timed(population, device) for _ in range(ITERATIONS))
    finally:
        population.close()


def _timed(population: Population, device: torch.device) -> float:
    """Of one iteration."""
    _wait(device)
    began = time.perf_counter()
    population.advance(1)
    _wait(device)
    return time.perf_counter() - began


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _held(device: torch.device) -> int:
    """The most bytes that this process has held so far: on the card, or all in all. Populations that grow raise it."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _amount(count: int) -> str:
    return f"{count / 2**30:.1f} GiB" if count >= 2**29 else f"{count / 2**20:.0f} MiB"
