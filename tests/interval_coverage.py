"""Pairs of known laws, and how often the intervals of metrics hold what they are about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from trainables.metrics import Metric
from trainables.metrics.pair import Pair

__all__ = ["LAWS", "Coverage", "Number", "coverage", "measured"]

Floats = NDArray[np.float64]
OWN_MEAN = ("precision", "recall", "density", "coverage", "pr_cover", "classifier", "frontier")
"""What depends on the number of samples by design, or (a classifier) by training: the target is its own mean."""


@dataclass(frozen=True)
class Number:
    """One number of one data set; its interval is None where it is withheld."""

    value: float
    ends: tuple[float, float] | None


@dataclass(frozen=True)
class Coverage:
    """Of many data sets: how many intervals were given and held the target, and what they were like."""

    target: float
    mean: float
    given: int
    sets: int
    held: int
    width: float

    @property
    def share(self) -> float:
        """Share of the given intervals that hold the target."""
        return self.held / self.given if self.given else float("nan")


def _shifted(rng: np.random.Generator, n: int, m: int, d: int) -> tuple[Floats, Floats]:
    """Gaussians: the second is shifted by 0.7 along one axis and 0.8 times as wide."""
    x, y = rng.normal(size=(n, d)), 0.8 * rng.normal(size=(m, d))
    y[:, 0] += 0.7
    return x, y


def _dropped(rng: np.random.Generator, n: int, m: int, d: int) -> tuple[Floats, Floats]:
    """Five modes six deviations apart or so; the second has lost one and weighs the others unequally."""
    centres = 6 / np.sqrt(d) * np.random.default_rng(5).normal(size=(5, d))
    x = centres[rng.integers(5, size=n)] + rng.normal(size=(n, d))
    y = centres[rng.choice(5, size=m, p=[0.3, 0.3, 0.25, 0.15, 0.0])] + 0.9 * rng.normal(size=(m, d))
    return x, y


def _heavy(rng: np.random.Generator, n: int, m: int, d: int) -> tuple[Floats, Floats]:
    """Student's law of eight degrees of freedom; the second is shifted by 0.6 and 1.2 times as wide."""

    def student(k: int) -> Floats:
        return np.asarray(rng.normal(size=(k, d)) / np.sqrt(rng.chisquare(8, size=(k, 1)) / 8))

    x, y = student(n), 1.2 * student(m)
    y[:, 0] += 0.6
    return x, y


def _equal(rng: np.random.Generator, n: int, m: int, d: int) -> tuple[Floats, Floats]:
    """One Gaussian twice."""
    return rng.normal(size=(n, d)), rng.normal(size=(m, d))


def _apart(rng: np.random.Generator, n: int, m: int, d: int) -> tuple[Floats, Floats]:
    """Gaussians five deviations apart."""
    x, y = rng.normal(size=(n, d)), rng.normal(size=(m, d))
    y[:, 0] += 5
    return x, y


LAWS: dict[str, Callable[[np.random.Generator, int, int, int], tuple[Floats, Floats]]] = {
    "shifted": _shifted,
    "dropped": _dropped,
    "heavy": _heavy,
    "equal": _equal,
    "apart": _apart,
}


def measured(
    law: str,
    sizes: tuple[int, int],
    d: int,
    seed: Sequence[int],
    metrics: Iterable[Metric],
    k: int = 5,
    draws: int = 500,
) -> dict[str, Number]:
    """The numbers of one data set of N real and M generated samples; logits of ten classes are linear in these."""
    rng = np.random.default_rng([*law.encode(), *seed])
    real, fake = (torch.from_numpy(side) for side in LAWS[law](rng, *sizes, d))
    classes = torch.from_numpy(np.random.default_rng(3).normal(size=(d, 10)) * 2 / np.sqrt(d))
    metrics = list(metrics)
    orders = tuple(sorted({order for metric in metrics for order in metric.orders(k)}))
    pair = Pair(real, fake, k=k, orders=orders, logits=fake @ classes, seed=seed[-1], draws=draws)
    found: dict[str, Number] = {}
    for metric in metrics:
        scores = metric.measure(pair)
        found |= {key: Number(value, scores.intervals.get(key)) for key, value in scores.values.items()}
    return found


def coverage(numbers: Sequence[Number], target: float | None = None) -> Coverage:
    """How often intervals of one metric hold the ``target``, by default the mean of the values."""
    values = np.array([number.value for number in numbers])
    aim = float(values.mean()) if target is None else target
    ends = [number.ends for number in numbers if number.ends is not None]
    held = sum(low <= aim <= high for low, high in ends)
    width = float(np.mean([high - low for low, high in ends])) if ends else float("nan")
    return Coverage(aim, float(values.mean()), len(ends), len(numbers), held, width)
