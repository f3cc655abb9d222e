"""Trials beside each other: what differs between them, and their numbers with intervals over seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from explorer.results.catalogue import BASE
from explorer.results.columns import Columns
from explorer.results.table import Scalar
from explorer.store.schema import PLAIN, At

__all__ = ["Estimate", "best_of", "differing", "estimate", "estimates", "from_units", "in_units", "shared"]

LEVEL = 0.95
"""Of the intervals."""


@dataclass(frozen=True)
class Estimate:
    """A number and how sure it is.

    Attributes:
        value: the mean over the seeds, or the one value there is; NaN where there is none.
        low, high: ends of the interval at 95 %; NaN where nothing tells how sure it is.
        seeds: how many values it is a mean of.
    """

    value: float
    low: float
    high: float
    seeds: int

    @property
    def is_sure(self) -> bool:
        """Whether it has an interval."""
        return math.isfinite(self.low) and math.isfinite(self.high)


NOTHING = Estimate(math.nan, math.nan, math.nan, 0)


def differing(points: Sequence[Mapping[str, Scalar]]) -> list[str]:
    """Dotted paths that not all points have with the same value, those that only some have among them.

    λ first, then by name, the seed last. Which base a trial began at follows from its seed and is left out.
    """
    paths = {path for point in points for path in point if path != BASE}
    found = [path for path in paths if len({_text(point, path) for point in points}) > 1]
    return sorted(found, key=_place)


def shared(points: Sequence[Mapping[str, Scalar]]) -> dict[str, Scalar]:
    """What all points have alike, by path; all of it where there is one point."""
    if not points:
        return {}
    apart = {*differing(points), BASE}
    return {path: points[0][path] for path in sorted(points[0]) if path not in apart}


def estimate(values: Sequence[float] | NDArray[np.float64]) -> Estimate:
    """Mean and interval x̄ ± t_{n-1, 0.975} s / √n of values, those that are not finite left out.

    One value has no interval: nothing tells how much another seed would change it.
    """
    numbers = np.asarray(values, dtype=np.float64)
    numbers = numbers[np.isfinite(numbers)]
    n = len(numbers)
    if not n:
        return NOTHING
    if n == 1:
        return Estimate(float(numbers[0]), math.nan, math.nan, 1)
    numbers, unit = in_units(numbers)
    mean = float(numbers.mean())
    half = _student(n - 1) * float(numbers.std(ddof=1)) / math.sqrt(n)
    mean, low, high = from_units([mean, mean - half, mean + half], unit)
    return Estimate(mean, low, high, n)


def in_units(values: Sequence[float] | NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    """Finite values as multiples of 2ᵉ, none beyond 1, and e: sums and squares of these are no infinity, and not 0."""
    numbers = np.asarray(values, dtype=np.float64)
    unit = math.frexp(float(np.abs(numbers).max(initial=0.0)))[1]
    return np.ldexp(numbers, -unit), unit


def from_units(values: Sequence[float], unit: int) -> list[float]:
    """The values themselves; infinite where no float is as large."""
    with np.errstate(over="ignore"):
        found: list[float] = np.ldexp(values, unit).tolist()
    return found


def estimates(
    columns: Columns, row: int, names: Sequence[str], at: At = PLAIN, alone: bool = False
) -> dict[str, Estimate]:
    """Metrics of the configuration of a trial at a reading, over its finished seeds. O(N) a metric for N trials.

    Where it has one seed alone, and of a trial ``alone``, the interval is the one measured with it, if there is one.
    """
    same = (columns.configurations == columns.configurations[row]) & columns.finished
    if alone:
        same &= np.arange(len(columns)) == row
    found = {}
    for name in names:
        over = estimate(columns.metric(name, at)[same])
        if over.seeds == 0:
            over = estimate(columns.metric(name, at)[[row]])
        if over.seeds == 1:
            over = _measured(columns, row if alone else _only_seed(columns, row), name, at, over)
        found[name] = over
    return found


def best_of(found: Sequence[Estimate], direction: str | None) -> frozenset[int]:
    """Which estimates are the best, as far as intervals let one tell: the best value and all that overlap it.

    Nobody is where the direction is not known, or where all of them would be.
    """
    known = [i for i, one in enumerate(found) if math.isfinite(one.value)]
    if direction is None or len(known) < 2:
        return frozenset()
    sign = 1.0 if direction == "max" else -1.0
    top = max(known, key=lambda i: sign * found[i].value)
    kept = frozenset(i for i in known if i == top or _overlap(found[i], found[top]))
    return kept if len(kept) < len(known) else frozenset()


def _overlap(one: Estimate, other: Estimate) -> bool:
    (a, b), (c, d) = (_ends(one), _ends(other))
    return a <= d and c <= b


def _ends(one: Estimate) -> tuple[float, float]:
    return (one.low, one.high) if one.is_sure else (one.value, one.value)


def _measured(columns: Columns, row: int, name: str, at: At, over: Estimate) -> Estimate:
    """The estimate of one seed with the interval measured with it."""
    read = columns.trials[row].at(at)
    low, high = read.get(f"{name}.low", math.nan), read.get(f"{name}.high", math.nan)
    return Estimate(over.value, low, high, 1) if low <= high else over


def _only_seed(columns: Columns, row: int) -> int:
    """The one finished trial of a configuration; the trial itself where there are others or none."""
    same = np.flatnonzero((columns.configurations == columns.configurations[row]) & columns.finished)
    return int(same[0]) if len(same) == 1 else row


@cache
def _student(freedom: int) -> float:
    from scipy.special import stdtrit  # here: it is slow to import

    return float(stdtrit(freedom, 0.5 + LEVEL / 2))


def _text(point: Mapping[str, Scalar], path: str) -> str:
    return repr(point[path]) if path in point else ""


def _place(path: str) -> tuple[bool, bool, str]:
    return path != "objective.lam", path == "seed", path
