"""Samples of a trial over the real ones: kept, refused, the worst, and what was missed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from explorer.figures.chart import Area, Axis, Chart, Layer, Line, Points

__all__ = ["samples_chart"]

Places = NDArray[np.float64]
MOST_POINTS = 5_000
"""Points of one kind that are drawn, the first of them: they come in no order."""
BINS = 60
CROSS, RING = 5, 0
"""Symbols by their code."""


def samples_chart(
    real: Places,
    points: Places,
    refused: Places | None = None,
    outside: Places | None = None,
    missed: Places | None = None,
    title: str = "Samples over the data",
    subtitle: str = "",
    file: str = "samples",
) -> Chart:
    """Points (N, d) in a plane, d = 2, or densities on a line, d = 1.

    Args:
        real: of the dataset; may be empty.
        points: of the model, those that were kept.
        refused: those that a refinement did not keep.
        outside: samples that lie far from all data, marked by crosses.
        missed: real samples that the model does not reach, marked by rings.
        title, subtitle: above the chart.
        file: stem of the names of saved files.

    O(N d).
    """
    kinds = {
        "real": real,
        "model": points,
        "refused": _or_none(refused),
        "outside": _or_none(outside),
        "missed": _or_none(missed),
    }
    held = {name: array for name, array in kinds.items() if array.ndim == 2 and array.size}
    widths = {array.shape[1] for array in held.values()}
    if len(widths) > 1 or widths - {1, 2}:
        raise ValueError(f"points of a chart must all have dimension 1 or 2, got {sorted(widths)}")
    counts = ", ".join(f"{len(array):,} {name}" for name, array in held.items())
    told = {"title": title, "subtitle": subtitle, "file": file, "alt": f"Samples: {counts or 'none'}."}
    return _line(held, told) if widths == {1} else _plane(held, told)


def _plane(held: dict[str, Places], told: dict[str, str]) -> Chart:
    styles = (
        ("real", "muted", 1.8, 0.45),
        ("refused", "contrast", 2.0, 0.6),
        ("model", "accent", 2.0, 0.65),
    )
    layers: list[Layer] = []
    for name, colour, radius, opacity in styles:
        if name in held:
            rows = held[name][:MOST_POINTS]
            layers.append(
                Points(rows[:, 0], rows[:, 1], colour=colour, radius=radius, opacity=opacity, name=name)
            )
    for name, colour, symbol, words in (
        ("missed", "category:2", RING, "real, missed"),
        ("outside", "category:5", CROSS, "worst of the model"),
    ):
        if name in held:
            rows = held[name][:MOST_POINTS]
            layers.append(
                Points(
                    rows[:, 0],
                    rows[:, 1],
                    colour=colour,
                    radius=5.0,
                    symbol=np.full(len(rows), symbol),
                    hollow=np.full(len(rows), symbol == RING),
                    name=words,
                )
            )
    frame = held.get("real", next(iter(held.values()), np.zeros((1, 2))))
    # The worst samples are what is looked for: they are inside, however far they lie.
    inner = [held[name] for name in ("outside", "missed") if name in held]
    x, y = (_frame(frame, inner, axis) for axis in (0, 1))
    return Chart(x, y, layers, **told, square=True, height=540)  # type: ignore[arg-type]


def _line(held: dict[str, Places], told: dict[str, str]) -> Chart:
    shown = [held[name][:, 0] for name in ("real", "model", "refused") if name in held]
    both = np.concatenate(shown or [np.zeros(1)])
    low, high = (float(end) for end in np.quantile(both, [0.001, 0.999]))
    least = 1e-9 * max(abs(low), abs(high))  # narrower bins have no width in floats
    edges = np.linspace(low, high if high - low > least else low + max(1.0, least), BINS + 1)
    layers: list[Layer] = []
    top = 0.0
    for name, colour in (("real", "muted"), ("refused", "contrast"), ("model", "accent")):
        if name not in held:
            continue
        # Density over all points, so that samples outside the frame still count.
        heights = np.histogram(held[name][:, 0], edges)[0] / (len(held[name]) * np.diff(edges))
        x, y = np.repeat(edges, 2), np.concatenate(([0.0], np.repeat(heights, 2), [0.0]))
        top = max(top, float(heights.max()))
        if name == "real":
            layers.append(Area(x, y, colour, 0.25, "real"))
        else:
            layers.append(Line(x, y, colour, 1.8, name=name))
    for name, colour, place, words in (
        ("missed", "category:2", -0.02, "real, missed"),
        ("outside", "category:5", -0.05, "worst of the model"),
    ):
        if name in held:
            rows = held[name][:MOST_POINTS, 0]
            symbol = np.full(len(rows), CROSS if name == "outside" else RING)
            under = np.full(len(rows), place * (top or 1.0))
            layers.append(Points(rows, under, colour=colour, radius=4.0, symbol=symbol, name=words))
            low, high = min(low, float(rows.min())), max(high, float(rows.max()))
    low, high = min(low, float(edges[0])), max(high, float(edges[-1]))
    air = 0.03 * (high - low)
    floor = -0.08 * (top or 1.0) if {"outside", "missed"} & set(held) else 0.0
    return Chart(
        Axis("", low - air, high + air),
        Axis("Density", floor, 1.05 * (top or 1.0)),
        layers,
        **told,  # type: ignore[arg-type]
        height=380,
    )


def _frame(points: Places, inner: list[Places], axis: int) -> Axis:
    """Limits around the data, so that one stray sample does not shrink the picture, and around what is marked."""
    low, high = (float(end) for end in np.quantile(points[:, axis], [0.001, 0.999]))
    # Of points that are all alike, or nearly so, floats may have no width.
    air = max(0.15 * (high - low), 1e-9 * abs(high)) or 1.0
    low, high = low - air, high + air
    for marked in inner:
        low, high = min(low, float(marked[:, axis].min())), max(high, float(marked[:, axis].max()))
    return Axis("", low, high)


def _or_none(points: Places | None) -> Places:
    return np.empty((0, 0)) if points is None else points
