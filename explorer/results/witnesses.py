"""Why precision or recall is low: the samples that lie outside, and the real ones that were missed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.results.points import Points, read_points
from explorer.store.foreign import clean

__all__ = ["Side", "Witnesses"]

LONGEST = 80
"""Characters of the features' name."""


@dataclass(frozen=True, eq=False)
class Side:
    """One of two ways to fail.

    Attributes:
        share: how many of all samples lie outside, in [0, 1]; NaN where it is not known.
        points: (N, d) the farthest of them, farthest first; (0, 0) where they cannot be drawn, as images.
    """

    share: float
    points: Points

    def drawn(self, dimension: int) -> Points:
        """The points, if they lie in a space of that dimension; (0, d) otherwise."""
        return self.points if self.points.shape[1] == dimension else np.empty((0, dimension))


@dataclass(frozen=True, eq=False)
class Witnesses:
    """The artifact ``witnesses.json``.

    Attributes:
        outside: generated samples in no real sample's neighbourhood: what precision lacks.
        missed: real samples in no generated one's: what recall lacks.
        features: the space in which neighbourhoods were taken; empty where it is not told.
        k: they reach to the k-th neighbour; 0 where it is not told.
    """

    outside: Side
    missed: Side
    features: str = ""
    k: int = 0

    @classmethod
    def from_artifact(cls, raw: Mapping[str, Any] | None) -> Witnesses | None:
        """What the artifact holds; None if it is absent or tells of neither side."""
        if not isinstance(raw, Mapping):
            return None
        outside, missed = _side(raw.get("outside")), _side(raw.get("missed"))
        if all(math.isnan(side.share) and not side.points.size for side in (outside, missed)):
            return None
        features, k = raw.get("features"), raw.get("k")
        return cls(
            outside,
            missed,
            clean(features)[:LONGEST] if isinstance(features, str) else "",
            k if isinstance(k, int) and not isinstance(k, bool) and 0 < k < 10**6 else 0,
        )

    def sentences(self) -> tuple[str, str]:
        """What is outside, and what was missed, in a sentence each."""
        return (
            _told(self.outside, "of its samples lie", "real", "precision", "crosses mark the worst of them"),
            _told(
                self.missed,
                "of the real samples lie",
                "generated",
                "recall",
                "rings mark some all over them",
            ),
        )

    def measured(self) -> str:
        """How neighbourhoods were taken; empty where it is not told."""
        reach = f"A neighbourhood reaches to the {_ordinal(self.k)} nearest sample of its own kind"
        known = self.features not in ("", "identity")
        space = f"in the features of {self.features}" if known else "in the space of the data"
        return f"{reach}, {space}." if self.k else ""


def _told(side: Side, whose: str, kind: str, lacking: str, marks: str) -> str:
    if math.isnan(side.share):
        return f"How many {whose.removesuffix(' lie')} lie outside every {kind} neighbourhood is not known."
    if side.share == 0:
        return f"None {whose.removesuffix(' lie')} lies outside every {kind} neighbourhood: {lacking} lacks nothing."
    shown = f"; at K = 1 {marks}" if side.points.size else ""
    return f"{_percent(side.share)} {whose} outside every {kind} neighbourhood, which is what {lacking} lacks{shown}."


def _percent(share: float) -> str:
    if 0 < share < 0.01 or 0.99 < share < 1:
        return f"{100 * share:.2g} %" if share < 0.5 else f"{100 * share:.4g} %"
    return f"{100 * share:.0f} %"


def _ordinal(k: int) -> str:
    ending = "th" if k % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(k % 10, "th")
    return f"{k}{ending}"


def _side(raw: object) -> Side:
    if not isinstance(raw, Mapping):
        return Side(math.nan, np.empty((0, 0)))
    share = raw.get("share")
    points = read_points(raw.get("points"))
    if isinstance(share, int | float) and not isinstance(share, bool) and 0 <= share <= 1:
        return Side(float(share), points)
    return Side(math.nan, points)
