"""PR curves of a trial, by every estimator that drew one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.results.naming import cut
from explorer.results.points import Points, read_numbers
from explorer.store.foreign import clean

__all__ = ["PRCurve", "curves_of", "read_pr_curve"]

MOST_CURVES = 12
"""Estimators that are read of one artifact."""

SOURCES = {
    "exact": ("Exact", "From the exact densities of data and model."),
    "neighbours": ("Neighbours", "Estimated from nearest samples."),
    "histogram": ("Cells", "By cells, as an earlier version did: blind within a mode."),
}
"""Title and sentence of where ``curve.json`` says it comes from."""


@dataclass(frozen=True, eq=False)
class PRCurve:
    """One curve: α_λ against β_λ = α_λ / λ.

    Attributes:
        title: who drew it.
        sentence: how, in one sentence; empty where that is not told.
        lam, precision, recall: (N,) as λ grows, finite, precision and recall in [0, 1].
        error: (N,) how far each precision may be off; (0,) where that is not told.
    """

    title: str
    sentence: str
    lam: Points
    precision: Points
    recall: Points
    error: Points


def curves_of(several: Mapping[str, Any] | None, single: Mapping[str, Any] | None) -> dict[str, PRCurve]:
    """Curves by name, from ``curves.json`` and, under its source, from ``curve.json``; what is no curve is left out.

    The curve of ``curve.json`` comes first, unless an estimator of the same name is among the others.
    """
    found = dict(_listed(several))
    own = read_pr_curve(single)
    if own is None:
        return found
    source = str(single.get("source")) if isinstance(single, Mapping) else ""
    if source in found:
        return {source: found.pop(source), **found}
    return found if own.title in {curve.title for curve in found.values()} else {source: own, **found}


def read_pr_curve(raw: object) -> PRCurve | None:
    """The curve that a mapping holds, without the points that cannot be drawn; None if none is left. O(N log N)."""
    if not isinstance(raw, Mapping):
        return None
    lam, precision, recall = (read_numbers(raw.get(key)) for key in ("lambda", "precision", "recall"))
    if not len(lam) == len(precision) == len(recall):
        return None
    error = read_numbers(raw.get("error"))
    inside = (lam > 0) & (precision >= 0) & (precision <= 1 + 1e-9) & (recall >= 0) & (recall <= 1 + 1e-9)
    rows = np.flatnonzero(inside)
    if not len(rows):
        return None
    rows = rows[np.argsort(lam[rows], kind="stable")]
    usual, told = SOURCES.get(str(raw.get("source")), ("PR curve", ""))
    return PRCurve(
        _text(raw.get("title"), 60) or usual,
        _text(raw.get("sentence"), 300) or told,
        lam[rows],
        np.minimum(precision[rows], 1.0),
        np.minimum(recall[rows], 1.0),
        error[rows] if len(error) == len(lam) else np.empty(0),
    )


def _listed(raw: Mapping[str, Any] | None) -> Iterator[tuple[str, PRCurve]]:
    listed = raw.get("curves") if isinstance(raw, Mapping) else None
    seen: set[str] = set()
    for one in listed[:MOST_CURVES] if isinstance(listed, list) else ():
        curve, name = read_pr_curve(one), _text(one.get("name"), 60) if isinstance(one, Mapping) else ""
        if curve is not None and name and name not in seen:
            seen.add(name)
            yield name, curve


def _text(raw: object, length: int) -> str:
    return cut(clean(raw), length) if isinstance(raw, str) else ""
