"""The reliability of a trial's density ratios, as its artifact tells it, whoever wrote that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.results.naming import cut
from explorer.results.points import Points, read_numbers
from explorer.store.foreign import as_number, clean

__all__ = ["COLUMNS", "RatioReliability", "read_reliability"]

COLUMNS = (
    "low",
    "high",
    "real",
    "fake",
    "expected_share",
    "observed_share",
    "share_low",
    "share_high",
    "expected_ratio",
    "observed_ratio",
    "expected_acceptance",
    "observed_acceptance",
    "acceptance_low",
    "acceptance_high",
)
"""What is told of every bin (``trainables/rejection/reliability/bins.py``)."""
SHARES = tuple(name for name in COLUMNS if "share" in name or "acceptance" in name)
MOST_BINS = 100
MOST_COLUMNS = 400
TITLES = {
    "holds": "The density ratio holds",
    "shifted": "The density ratio holds but for a factor",
    "over-confident": "The density ratio is over-confident",
    "under-confident": "The density ratio is under-confident",
    "bent": "The density ratio is out of proportion",
    "disordered": "The density ratio is not in order",
    "too few points": "Too few points to judge the density ratio",
}
"""Headlines by the kind of a verdict."""


@dataclass(frozen=True, eq=False)
class RatioReliability:
    """What density ratios promised of B bins of points, and what was seen.

    Attributes:
        budget: K, at which acceptance is looked at.
        real, fake: points that it was judged on.
        bins: (B,) each of ``COLUMNS``; infinite ratios are NaN.
        edges: (H+1,) of the histogram of log r; (0,) where there is none.
        heights_real, heights_fake: (H,) its counts.
        error, error_by_chance: expected calibration error, and what it would be on average of right ratios.
        misplaced, misplaced_by_chance: the share of the samples kept that should be others, likewise.
        p_value: how easily chance deviates as much.
        certain: log r from which on a draw is kept for certain.
        effective, largest: how many weights of r are worth, and the largest share of one. NaN where not told.
        title, sentence, remedy: the verdict in words.
        trusted: whether rejection may rely on the ratios.
    """

    budget: float
    real: int
    fake: int
    bins: Mapping[str, Points]
    edges: Points
    heights_real: Points
    heights_fake: Points
    error: float
    error_by_chance: float
    misplaced: float
    misplaced_by_chance: float
    p_value: float
    certain: float
    effective: float
    largest: float
    title: str
    sentence: str
    remedy: str
    trusted: bool

    def __len__(self) -> int:
        return len(self.bins["real"])


def read_reliability(raw: object) -> RatioReliability | None:
    """The reliability that a mapping holds, as ``Reliability.plain`` made it; None if it holds none. O(bins)."""
    if not isinstance(raw, Mapping):
        return None
    bins = _bins(raw.get("bins"))
    budget = _number(raw, "budget")
    if bins is None or not 1 <= budget < np.inf:
        return None
    verdict, misfit = _mapping(raw.get("verdict")), _mapping(raw.get("misfit"))
    edges, heights = _histogram(_mapping(raw.get("histogram")))
    return RatioReliability(
        budget=budget,
        real=int(bins["real"].sum()),
        fake=int(bins["fake"].sum()),
        bins=bins,
        edges=edges,
        heights_real=heights[0],
        heights_fake=heights[1],
        error=_number(raw, "error"),
        error_by_chance=_number(raw, "error_by_chance"),
        misplaced=_number(raw, "misplaced"),
        misplaced_by_chance=_number(raw, "misplaced_by_chance"),
        p_value=_number(misfit, "p_value"),
        certain=_number(raw, "certain"),
        effective=_number(raw, "effective"),
        largest=_number(raw, "largest"),
        title=TITLES.get(str(verdict.get("kind")), "Is the density ratio right?"),
        sentence=_text(verdict.get("sentence")),
        remedy=_text(verdict.get("remedy")),
        trusted=verdict.get("trusted") is True,
    )


def _bins(raw: object) -> dict[str, Points] | None:
    """The columns of bins, of one length; None unless all that has to be drawn is there."""
    told = _mapping(raw)
    bins = {name: read_numbers(told.get(name))[:MOST_BINS] for name in COLUMNS}
    lengths = {len(values) for values in bins.values()}
    counts = [bins["real"], bins["fake"]]
    if len(lengths) > 1 or not lengths.pop() or not all(((one >= 0) & (one < 2**53)).all() for one in counts):
        return None
    if not all(((bins[name] >= 0) & (bins[name] <= 1 + 1e-9)).all() for name in SHARES):
        return None
    return bins


def _histogram(raw: Mapping[str, Any]) -> tuple[Points, tuple[Points, Points]]:
    """Edges and both counts; nothing if they do not fit together."""
    edges, real, fake = (read_numbers(raw.get(name)) for name in ("edges", "real", "fake"))
    fits = 1 <= len(real) == len(fake) == len(edges) - 1 <= MOST_COLUMNS
    if not fits or not (np.diff(edges) > 0).all() or not ((real >= 0) & (fake >= 0)).all():
        return np.empty(0), (np.empty(0), np.empty(0))
    return edges, (real, fake)


def _mapping(raw: object) -> Mapping[str, Any]:
    return raw if isinstance(raw, Mapping) else {}


def _number(raw: Mapping[str, Any], name: str) -> float:
    found = as_number(raw.get(name))
    return float("nan") if found is None else found


def _text(raw: object) -> str:
    return cut(clean(raw), 400) if isinstance(raw, str) else ""
