"""What a budget bought of one model: each metric by K, as it was measured and as theory foretold it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from explorer.figures.chart import Axis, Band, Chart, Layer, Line, Panel, Points
from explorer.store.schema import budget_text

__all__ = ["Series", "refined_chart"]

Numbers = NDArray[np.float64]
ROOM = 0.08
"""Share of what is drawn by which an axis reaches beyond it."""


@dataclass(frozen=True, eq=False)
class Series:
    """One metric at budgets (k,), ascending: what was measured with its ends, and what was foretold; NaN for none.

    ``floor`` and ``ceiling`` are the least and the largest value it can have, None where there is none.
    """

    title: str
    measured: Numbers
    low: Numbers
    high: Numbers
    foretold: Numbers
    floor: float | None = None
    ceiling: float | None = None


def refined_chart(
    budgets: Sequence[float],
    series: Mapping[str, Series],
    title: str,
    subtitle: str = "",
    file: str = "refined",
) -> Chart:
    """A panel per metric, by its name. O(metrics · k)."""
    at = np.asarray(budgets, dtype=np.float64)
    grown = Axis(
        "Budget K",
        float(at[0]) / 1.08,
        float(at[-1]) * 1.08,
        log=True,
        ticks=tuple(budgets),
        labels=[budget_text(budget) for budget in budgets],
    )
    panels = [Panel(one.title, _layers(at, one), grown, _axis(one)) for one in series.values()]
    return Chart(
        grown,
        panels[0].y or grown,
        (),
        title=title,
        subtitle=subtitle,
        panels=panels,
        alt=f"{', '.join(one.title for one in series.values())} by the budget K.",
        height=380,
        file=file,
    )


def _layers(at: Numbers, one: Series) -> list[Layer]:
    layers: list[Layer] = []
    ends = np.isfinite(one.low) & np.isfinite(one.high)
    if ends.sum() > 1:
        layers.append(
            Band(at[ends], one.low[ends], one.high[ends], "accent", 0.16, "95\N{NO-BREAK SPACE}% interval")
        )
    if np.isfinite(one.foretold).any():
        layers.append(Line(at, one.foretold, "contrast", 1.8, "dash", name="foretold from K = 1"))
    layers.append(Line(at, one.measured, "accent", 2.0, name="measured"))
    layers.append(Points(at, one.measured, colour="accent", radius=4.5))
    return layers


def _axis(one: Series) -> Axis:
    ends = [one.low, one.high] if (np.isfinite(one.low) & np.isfinite(one.high)).sum() > 1 else []
    every = np.concatenate([one.measured, one.foretold, *ends])
    every = every[np.isfinite(every)]
    low, high = (float(every.min()), float(every.max())) if len(every) else (0.0, 1.0)
    room = ROOM * (high - low) or 0.05 * abs(high) or 0.05
    low, high = low - room, high + room
    if one.floor is not None:
        low = max(low, one.floor - room / 4)
    if one.ceiling is not None:
        high = min(high, one.ceiling + room / 4)
    return Axis(one.title, low, high)
