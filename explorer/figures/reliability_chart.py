"""Whether a trial's density ratios are right: what they promise against what is seen, and where points lie.

Bins of equal mass, each at what was expected of it and what was observed: on the diagonal the ratio is right. The same
bins twice, by the share of real points and by how many draws a budget K keeps, above both kinds' histogram of log r.
"""

from __future__ import annotations

import numpy as np

from explorer.figures.chart import Area, Axis, Card, CardRow, Chart, Layer, Line, Panel, Paths, Points
from explorer.results.naming import number
from explorer.results.points import Points as Numbers
from explorer.results.reliability import RatioReliability
from explorer.store.schema import budget_text
from explorer.words import counted

__all__ = ["reliability_chart"]

EDGE = 0.03
"""By how much axes of shares reach beyond 0 and 1, so that points there are whole."""
BRACKET = 0.94
"""Where in the histogram the ends of a bin that is pointed at are told."""


def reliability_chart(found: RatioReliability, file: str = "reliability") -> Chart:
    """Shares of real points, acceptance at K > 1, and histograms, a panel each. O(bins + columns)."""
    panels = [_diagonal(found, "share", "Share of real points")]
    if found.budget > 1:
        panels.append(_diagonal(found, "acceptance", f"Kept at K = {budget_text(found.budget)}"))
    if len(found.edges):
        panels.append(_histogram(found))
    return Chart(
        panels[0].x or _share_axis("Expected"),
        panels[0].y or _share_axis("Observed"),
        (),
        title=found.title,
        subtitle=_subtitle(found),
        note=" ".join(part for part in (found.sentence, found.remedy) if part),
        panels=panels,
        keys=[f"bin {place + 1}" for place in range(len(found))],
        card=_card(found),
        alt=f"{found.title}. Expected against observed in {counted(len(found), 'bin')} of points, "
        f"{int(_off(found, 'share').sum())} of them off the diagonal by more than their intervals.",
        height=430,
        file=file,
    )


def _share_axis(title: str, hint: str = "") -> Axis:
    return Axis(title, -EDGE, 1 + EDGE, hint=hint, ticks=(0.0, 0.25, 0.5, 0.75, 1.0))


def _off(found: RatioReliability, what: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """(B,) whether what was expected lies outside of the interval of what was observed."""
    low, high, expected = (found.bins[name] for name in (f"{what}_low", f"{what}_high", f"expected_{what}"))
    return (expected < low - 1e-9) | (expected > high + 1e-9)


def _diagonal(found: RatioReliability, what: str, title: str) -> Panel:
    """Expected against observed by bin with intervals; those that miss the diagonal in the contrast's colour."""
    x, y = found.bins[f"expected_{what}"], found.bins[f"observed_{what}"]
    low, high = found.bins[f"{what}_low"], found.bins[f"{what}_high"]
    ends = np.array([0.0, 1.0])
    layers: list[Layer] = [
        Line(ends, ends, "muted", 1.4, "dash", name="as expected"),
        Line(x, y, "muted", 1.2, opacity=0.55),
    ]
    off = _off(found, what)
    for which, colour, name in ((~off, "accent", "bin"), (off, "contrast", "bin that is off")):
        if which.any():
            places = np.flatnonzero(which)
            layers.append(
                Points(
                    x[which], y[which], places, colour, 4.8, y_low=low[which], y_high=high[which], name=name
                )
            )
    hints = {
        "share": "Mean of r / (1 + r), real and generated points weighing alike.",
        "acceptance": "Mean of min(c r, 1) over the bin's draws; observed: with the ratio that was seen.",
    }
    return Panel(title, layers, _share_axis("Expected", hints[what]), _share_axis("Observed"))


def _histogram(found: RatioReliability) -> Panel:
    """Shares of both kinds by columns of log r; ends of a bin that is pointed at, and from where all is kept."""
    edges = found.edges
    x = np.repeat(edges, 2)
    outlines = [
        np.concatenate(([0.0], np.repeat(heights / max(float(heights.sum()), 1.0), 2), [0.0]))
        for heights in (found.heights_real, found.heights_fake)
    ]
    top = 1.08 * max(float(outline.max()) for outline in outlines) or 1.0
    layers: list[Layer] = [
        Area(x, outlines[0], "muted", 0.28, "real"),
        Line(x, outlines[1], "accent", 1.8, name="generated"),
    ]
    if found.budget > 1 and edges[0] < found.certain < edges[-1]:
        name = f"all is kept beyond, K = {budget_text(found.budget)}"
        layers.append(
            Line(np.full(2, found.certain), np.array([0.0, top]), "contrast", 1.4, "dot", name=name)
        )
    layers.append(_brackets(found, top))
    hint = "The outermost columns have all that lies beyond them too."
    return Panel(
        "Where points lie",
        layers,
        Axis("log r", float(edges[0]), float(edges[-1]), hint=hint),
        Axis("Share of points", 0.0, top),
    )


def _brackets(found: RatioReliability, top: float) -> Paths:
    inside = [np.clip(found.bins[name], found.edges[0], found.edges[-1]) for name in ("low", "high")]
    return Paths(
        np.stack(inside, axis=1),
        np.full((len(found), 2), BRACKET * top),
        np.arange(len(found)),
        "text",
    )


def _subtitle(found: RatioReliability) -> str:
    told = [f"{found.real:,} real and {found.fake:,} generated points", "95\N{NO-BREAK SPACE}% intervals"]
    if np.isfinite(found.error) and np.isfinite(found.error_by_chance):
        told.append(f"calibration error {found.error:.3f}, by chance {found.error_by_chance:.3f}")
    return " · ".join(told)


def _card(found: RatioReliability) -> Card:
    bins = found.bins
    rows = [
        CardRow("Real points", bins["real"]),
        CardRow("Generated points", bins["fake"]),
        CardRow("Share of real, expected", bins["expected_share"]),
        CardRow("… observed", _with_interval(found, "share")),
        CardRow("Ratio, expected", bins["expected_ratio"]),
        CardRow("… observed ", bins["observed_ratio"]),
    ]
    if found.budget > 1:
        rows.append(CardRow("Kept, expected", bins["expected_acceptance"]))
        rows.append(CardRow("… observed  ", _with_interval(found, "acceptance")))
    return Card(
        [f"Bin {place + 1} of {len(found)}" for place in range(len(found))],
        [
            f"log r {_span(float(low), float(high))}"
            for low, high in zip(bins["low"], bins["high"], strict=True)
        ],
        rows,
    )


def _with_interval(found: RatioReliability, what: str) -> list[str]:
    columns: list[Numbers] = [
        found.bins[name] for name in (f"observed_{what}", f"{what}_low", f"{what}_high")
    ]
    return [f"{value:.3f} ({low:.3f} to {high:.3f})" for value, low, high in zip(*columns, strict=True)]


def _span(low: float, high: float) -> str:
    ends = [number(end).replace("-", "−") for end in (low, high)]
    return ends[0] if low == high else f"{ends[0]} to {ends[1]}"
