"""Trials in which λ did nothing, and how: it never capped the loss, or it starved the generator."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from explorer.results.columns import Columns
from explorer.results.table import Trial

__all__ = ["INERT", "NEVER_CAPS", "STARVES", "WAYS", "inertness", "ways_of"]

NEVER_CAPS, STARVES, INERT = "never caps", "starves", "inert"
"""How λ does nothing; the last where a run of an earlier version does not tell."""
WAYS = (None, NEVER_CAPS, STARVES, INERT)
"""Ways by their code; 0 where λ acted, or nobody knows."""


def inertness(trial: Trial) -> str | None:
    """How λ did nothing in a trial: ``never caps``, ``starves`` or ``inert``; None where it acted, or nobody knows.

    It did nothing if it was so on average over training, or if at the end no generated point lies on one side of the
    bend: λ r̂ < 1 everywhere never caps the loss, so that λ only scales it; λ r̂ > 1 everywhere starves the generator,
    which gets no gradient.
    """
    told = trial.metrics
    below, above = told.get("lam_below"), told.get("lam_above")
    for key, how in (("lam_starves", STARVES), ("lam_never_caps", NEVER_CAPS)):
        if told.get(key) == 1:
            return how
    if below is None or above is None:
        return INERT if told.get("lam_inert") == 1 else None
    if 0 in (below, above) or told.get("lam_inert") == 1:
        return STARVES if above > below else NEVER_CAPS
    return None


def ways_of(columns: Columns) -> NDArray[np.int8]:
    """(N,) the same of all trials as codes of ``WAYS``: 0 where λ acted, or nobody knows. O(trials) once."""
    return columns.kept("ways of λ", lambda: _ways(columns))


def _ways(columns: Columns) -> NDArray[np.int8]:
    below, above = columns.metric("lam_below"), columns.metric("lam_above")
    inert = columns.metric("lam_inert") == 1
    told = ~(np.isnan(below) | np.isnan(above))
    one_sided = told & ((below == 0) | (above == 0) | inert)
    code = {how: WAYS.index(how) for how in (NEVER_CAPS, STARVES, INERT)}
    ways = np.zeros(len(columns), dtype=np.int8)
    ways[~told & inert] = code[INERT]
    ways[one_sided] = np.where(above[one_sided] > below[one_sided], code[STARVES], code[NEVER_CAPS])
    # What was so on average over training counts more than the end; starving is asked first, as above.
    ways[columns.metric("lam_never_caps") == 1] = code[NEVER_CAPS]
    ways[columns.metric("lam_starves") == 1] = code[STARVES]
    return ways
