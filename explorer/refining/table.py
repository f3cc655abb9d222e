"""What was found of a refined model as rows: a metric or a cost each, a column per budget."""

from __future__ import annotations

import math
from typing import NamedTuple

from explorer.refining.refined import ENDS, Refined

__all__ = ["Row", "costs", "rows"]


class Row(NamedTuple):
    """A metric at every budget: values, else NaN; ends of intervals and what was foretold, else None."""

    key: str
    title: str
    values: tuple[float, ...]
    ends: tuple[tuple[float, float] | None, ...]
    foretold: tuple[float | None, ...]


def rows(found: Refined) -> list[Row]:
    """The metrics that were measured, in the order of the catalogue."""
    measured = found.readings[0].metrics
    chosen = [
        entry
        for entry in found.subject.evaluation.entries()
        if entry.key in measured and not entry.key.endswith(ENDS)
    ]
    return [
        Row(
            entry.key,
            entry.title,
            tuple(one.metrics.get(entry.key, math.nan) for one in found.readings),
            tuple(_ends(one.metrics, entry.key) for one in found.readings),
            tuple(
                None if found.foretold is None else found.foretold.at(one.budget).get(entry.key)
                for one in found.readings
            ),
        )
        for entry in chosen
    ]


def costs(found: Refined) -> dict[str, list[str]]:
    """How many samples there are at every budget and what one of them cost, in words."""
    ledgers = [one.ledger for one in found.readings]
    each = [ledger.cost() for ledger in ledgers]
    return {
        "samples": [f"{ledger.samples:,}" for ledger in ledgers],
        "acceptance": [f"{ledger.acceptance:.4g}" for ledger in ledgers],
        "calls of G": [f"{cost.draws:.4g}" for cost in each],
        "calls of D": [f"{cost.scores:.4g}" for cost in each],
        "gradients": [f"{cost.gradients:.4g}" for cost in each],
        "ms a sample": [f"{1000 * ledger.seconds / max(1, ledger.samples):.3g}" for ledger in ledgers],
    }


def _ends(metrics: dict[str, float], key: str) -> tuple[float, float] | None:
    low, high = (metrics.get(key + end) for end in ENDS)
    return None if low is None or high is None else (low, high)
