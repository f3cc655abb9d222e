"""Samples of a trial over the real ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import plotly.graph_objects as go

from explorer.figures.hover import safe
from explorer.figures.theme import ACCENT, LIGHT, NEUTRAL, template
from explorer.results.points import Points, read_points
from explorer.store.schema import PLAIN, At

__all__ = ["Samples", "samples_figure"]

MAX_POINTS = 5_000


@dataclass(frozen=True)
class Samples:
    """Points of the artifact ``samples.json``.

    Attributes:
        real: (N, d) points of the dataset, d = 1 or 2.
        readings: (M, d) points of the model as it is, and of every refinement.
        refused: (R, d) points that a refinement did not keep; earlier versions stored none.
    """

    real: Points
    readings: Mapping[At, Points]
    refused: Mapping[At, Points] = field(default_factory=dict)

    @classmethod
    def from_artifact(cls, raw: Mapping[str, Any] | None) -> Samples | None:
        """What the artifact holds; None if it is absent or holds no points of dimension 1 or 2."""
        if not isinstance(raw, Mapping):
            return None
        found = {at: points for at, points in _stored(raw) if points.size and points.shape[1] <= 2}
        real = read_points(raw.get("real"))
        if PLAIN not in found or (real.size and real.shape[1] != found[PLAIN].shape[1]):
            return None
        width = found[PLAIN].shape[1]
        return cls(
            real,
            {at: points for at, points in sorted(found.items()) if points.shape[1] == width},
            {
                at: points
                for at, points in _readings(raw, "refused")
                if points.size and points.shape[1] == width
            },
        )

    @property
    def dimension(self) -> int:
        """1 on a line, 2 in the plane."""
        return int(self.readings[PLAIN].shape[1])

    def at(self, at: At) -> Points:
        """The model's points at a reading; empty if none were kept there."""
        return self.readings.get(PLAIN if at.budget == 1 else at, np.empty((0, self.dimension)))

    def available(self, method: str) -> list[At]:
        """Readings of a method that have points, by growing K."""
        return sorted((a for a in self.readings if a == PLAIN or a.method == method), key=lambda a: a.budget)


def _stored(raw: Mapping[str, Any]) -> Iterator[tuple[At, Points]]:
    """Readings as they are written now, and as layout 1 wrote them: ``fake`` and, by K, ``budgets``."""
    if "fake" in raw:
        yield PLAIN, read_points(raw["fake"])
        stored = raw.get("budgets")
        for key, value in stored.items() if isinstance(stored, Mapping) else ():
            budget = _budget(key)
            if budget is not None and budget > 1:
                yield At("obrs", budget), read_points(value)
    yield from _readings(raw, "points")


def _readings(raw: Mapping[str, Any], key: str) -> Iterator[tuple[At, Points]]:
    """Points under a key of every reading."""
    listed = raw.get("readings")
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, Mapping) and (budget := _budget(one.get("budget"))) is not None:
            yield (PLAIN if budget == 1 else At(str(one.get("method")), budget)), read_points(one.get(key))


def samples_figure(
    samples: Samples, at: At = PLAIN, title: str = "Samples over the data", note: str | None = None
) -> go.Figure:
    """Real points faint, the model's on top; on 1-D data two densities as histograms."""
    fake = samples.at(at)
    figure = _histogram(samples.real, fake) if samples.dimension == 1 else _scatter(samples.real, fake)
    note = note or f"{len(fake):,} samples at {at.words()}"
    figure.update_layout(
        template=template(LIGHT),
        title={"text": safe(title, 60), "subtitle": {"text": safe(note, 80)}},
        legend={
            "orientation": "h",
            "x": 1,
            "xanchor": "right",
            "y": 1.0,
            "yanchor": "bottom",
            "itemsizing": "constant",
        },
        height=400,
        margin={"l": 12, "r": 12, "t": 76, "b": 12},
    )
    return figure


def _scatter(real: Points, fake: Points) -> go.Figure:
    figure = go.Figure()
    trace = go.Scattergl if len(real) + len(fake) > MAX_POINTS else go.Scatter
    for points, name, colour, size, opacity in (
        (real, "real", NEUTRAL, 3.5, 0.45),
        (fake, "model", ACCENT, 4.0, 0.6),
    ):
        marker = {"size": size, "color": colour, "opacity": opacity, "line": {"width": 0}}
        rows = points[:MAX_POINTS] if points.size else np.empty((0, 2))
        figure.add_trace(
            trace(x=rows[:, 0], y=rows[:, 1], mode="markers", name=name, marker=marker, hoverinfo="skip")
        )
    quiet = {"showgrid": False, "showticklabels": False, "ticks": "", "showline": False}
    figure.update_xaxes(**quiet, **_frame(real if real.size else fake, 0))
    figure.update_yaxes(**quiet, scaleanchor="x", **_frame(real if real.size else fake, 1))
    return figure


def _frame(points: Points, axis: int) -> dict[str, Any]:
    """Limits around the data, so that one stray sample does not shrink the picture."""
    low, high = np.quantile(points[:, axis], [0.001, 0.999])
    air = 0.15 * (high - low) or 1.0
    return {"range": [float(low - air), float(high + air)]}


def _histogram(real: Points, fake: Points) -> go.Figure:
    figure = go.Figure()
    both = np.concatenate([points[:, 0] for points in (real, fake) if points.size] or [np.zeros(1)])
    low, high = np.quantile(both, [0.001, 0.999])
    least = 1e-9 * max(abs(low), abs(high))  # narrower bins have no width in floats
    edges = np.linspace(low, high if high - low > least else low + max(1.0, least), 61)
    for points, name, colour in ((real, "real", NEUTRAL), (fake, "model", ACCENT)):
        if not points.size:
            continue
        # Density over all points, so that samples outside the frame still count.
        heights = np.histogram(points[:, 0], edges)[0] / (len(points) * np.diff(edges))
        figure.add_scatter(
            x=edges,
            y=[*heights.tolist(), 0.0],
            mode="lines",
            name=name,
            line={"shape": "hv", "width": 1.6, "color": colour},
            fill="tozeroy" if name == "real" else None,
            hoverinfo="skip",
        )
    figure.update_yaxes(showticklabels=False, ticks="", showline=False, rangemode="tozero")
    return figure


def _budget(key: object) -> float | None:
    try:
        budget = float(str(key))
    except ValueError:
        return None
    return budget if math.isfinite(budget) and budget >= 1 else None
