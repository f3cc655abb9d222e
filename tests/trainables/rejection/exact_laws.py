"""The laws of what is kept, exactly, by going through one attempt or one chain draw by draw."""

from __future__ import annotations

from collections.abc import Iterator
from math import floor

import numpy as np
from scipy import stats

__all__ = ["attempt", "chain", "chain_from_real", "fits", "ratio"]

Law = np.ndarray


def ratio(p: Law, q: Law) -> Law:
    """r = p/q, ∞ where q misses p, 0 where neither is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(p > 0, p / q, 0.0)


def attempt(q: Law, accepted: Law, budget: float) -> tuple[Law, float]:
    """Law of the sample of an attempt that is given up after K draws, and how many it takes on average."""
    law, draws = np.zeros_like(q), 0.0
    for length, weight in _lengths(budget):
        going = weight
        for number in range(1, length + 1):
            draws += going
            law += going * q * (accepted if number < length else 1.0)
            going *= 1 - float(q @ accepted)
    return law, draws


def chain(q: Law, r: Law, budget: float) -> Law:
    """Law of the end of a chain of K draws that begins at the first of them."""
    step = _step(q, r)
    return sum(
        weight * q @ np.linalg.matrix_power(step, length - 1)
        for length, weight in _lengths(budget)
        if weight > 0
    )


def chain_from_real(p: Law, q: Law, r: Law, budget: float) -> Law:
    """Law of the end of a chain of K draws that begins at x ~ P; of one that never leaves x, run again without x.

    Both runs see the same draws and the same uniforms u: of r′ they move where u ≤ r′/r, each with its own r.
    """
    law = np.zeros_like(q)
    for length, weight in _lengths(budget):
        for at in np.flatnonzero(p):
            leaves = _moves(r[at], r)  # P(u ≤ r′/r) by r′
            left = np.zeros_like(q)  # states of chains that have left
            waiting = np.zeros_like(q)  # states of the second run, of those that have not
            for number in range(length):
                left = left @ _step(q, r) + (waiting.sum() if number else 1.0) * q * leaves
                if not number:
                    waiting = q * (1 - leaves)
                    continue
                both = np.array([np.maximum(_moves(own, r), leaves) for own in r])
                moved = q * (both - leaves)  # state, r′
                waiting = waiting @ moved + waiting * ((1 - both) @ q)
            law += weight * p[at] * (left + waiting)
    return law


def fits(counts: Law, law: Law) -> float:
    """p-value of χ² of counts against a law; 0 where something was drawn that cannot be."""
    if counts[law == 0].any():
        return 0.0
    own = law > 0
    return float(stats.chisquare(counts[own], counts.sum() * law[own] / law[own].sum()).pvalue)


def _lengths(budget: float) -> Iterator[tuple[int, float]]:
    """⌊K⌋ and ⌈K⌉ with their shares, K on average."""
    part = budget - floor(budget)
    yield floor(budget), 1 - part
    if part:
        yield floor(budget) + 1, part


def _moves(state: float, r: Law) -> Law:
    """min(1, r′/r) by r′; from r = 0 to r′ = 0 nothing moves, nor anywhere from r = ∞."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.minimum(1.0, r / state)
    return np.where(np.isnan(found), 0.0, found)


def _step(q: Law, r: Law) -> np.ndarray:
    """(state, next state) of one draw of a chain."""
    away = q * np.array([_moves(state, r) for state in r])
    return away + np.diag(1 - away.sum(axis=1))
