"""Where the Lipschitz ceiling lies, and how far below it trials are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from explorer.figures.chart import SYMBOLS, Axis, Card, CardRow, Chart, Layer, Points
from explorer.results.ceiling import Ceilings
from explorer.results.columns import Columns
from explorer.results.fields import sentence
from explorer.results.inertness import ways_of
from explorer.words import counted

__all__ = ["ceiling_chart"]

MOST_WHISKERS = 300
"""Trials up to which each is tied to its ceiling."""


def ceiling_chart(columns: Columns, ceilings: Ceilings, selected: str | None = None) -> Chart:
    """α_λ at a trial's λ as a share of the most there is, and its ceiling, against the certified constant of G.

    Every trial is tied to its own ceiling, unless there are too many. Keys are identities. O(n).
    """
    own = np.arange(len(ceilings))
    tied = len(ceilings) <= MOST_WHISKERS
    layers: list[Layer] = [
        Points(
            ceilings.lipschitz,
            ceilings.ceiling,
            own,
            "contrast",
            4.5,
            np.full(len(own), SYMBOLS.index("down")),
            name="ceiling",
        ),
        Points(
            ceilings.lipschitz,
            ceilings.reached,
            own,
            "accent",
            4.5,
            hollow=ways_of(columns)[ceilings.rows] > 0,
            y_low=ceilings.reached if tied else None,
            y_high=ceilings.ceiling if tied else None,
            opacity=0.85,
            name="reached",
        ),
    ]
    low, high = _span(ceilings.lipschitz)
    identities = tuple(columns.ids[row] for row in ceilings.rows)
    capped = int(ceilings.binding.sum())
    return Chart(
        Axis(
            columns.table.title("generator_lipschitz"),
            low,
            high,
            log=True,
            hint=sentence("generator_lipschitz", columns.table.catalogue),
        ),
        Axis(
            "α at its λ, share of the most",
            *_height(ceilings),
            direction="max",
            hint="α_λ / min(1, λ): precision for λ ≥ 1, recall β_λ below. At λ = 1 for trials without a λ.",
        ),
        layers,
        title=f"The generator's steepness caps {capped} of {counted(len(ceilings), 'trial')}",
        subtitle="models as they are (K = 1) · the line from a trial ends at its ceiling" if tied else "",
        keys=identities,
        card=_card(columns, ceilings),
        selected=(selected,) if selected is not None and selected in identities else (),
        alt=f"Ceilings of {counted(len(ceilings), 'trial')} and what they reached, against the generator's constant.",
        height=440,
        file=f"{columns.table.sweep}-ceiling",
    )


def _span(values: NDArray[np.float64]) -> tuple[float, float]:
    sound = values[np.isfinite(values) & (values > 0)]
    low, high = (float(sound.min()), float(sound.max())) if len(sound) else (1.0, 1.0)
    free = max((high / low) ** 0.06, 1.25)
    return low / free, high * free


def _height(ceilings: Ceilings) -> tuple[float, float]:
    """From a little below the least to a little above all that is possible."""
    least = np.nanmin(np.concatenate([ceilings.ceiling, ceilings.reached]))
    return max(float(least) - 0.05, 0.0), 1.03


def _card(columns: Columns, ceilings: Ceilings) -> Card:
    return Card(
        tuple(columns.names[row] for row in ceilings.rows),
        tuple(columns.ids[row] for row in ceilings.rows),
        (
            CardRow("λ of the ceiling", ceilings.lam),
            CardRow("ceiling", ceilings.ceiling),
            CardRow("reached", ceilings.reached),
            CardRow("below it", ceilings.gap),
        ),
    )
