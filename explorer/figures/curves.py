"""Curves of single trials: precision against recall, and metrics over iterations."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from explorer.figures.hover import safe
from explorer.figures.theme import ACCENT, CATEGORIES, LIGHT, template
from explorer.figures.thinning import evenly

__all__ = ["history_figure", "pr_curve_figure", "read_curve"]

SOURCES = {
    "exact": "from the exact densities",
    "neighbours": "estimated from nearest samples",
    "histogram": "by cells (an earlier version): blind within a mode",
}


def read_curve(raw: Mapping[str, Any] | None) -> list[tuple[float, float, float]]:
    """(recall, precision, λ) of the artifact ``curve.json`` in its order; empty if it holds no such curve."""
    if not isinstance(raw, Mapping):
        return []
    columns = [raw.get(key) for key in ("recall", "precision", "lambda")]
    if not all(isinstance(c, list) for c in columns):
        return []
    rows = zip(*(c for c in columns if isinstance(c, list)), strict=False)
    return [(float(r), float(p), float(lam)) for r, p, lam in rows if all(_is_number(v) for v in (r, p, lam))]


def pr_curve_figure(
    curves: Mapping[str, Mapping[str, Any] | None], title: str = "Precision against recall, all λ"
) -> go.Figure:
    """PR curves (α_λ against β_λ) by name, as read from ``curve.json``; unreadable ones are left out."""
    figure = go.Figure()
    single = len(curves) == 1
    for i, (name, raw) in enumerate(curves.items()):
        points = evenly(read_curve(raw))
        if not points:
            continue
        colour = ACCENT if single else CATEGORIES[i % len(CATEGORIES)]
        if single:
            _add_error_band(figure, raw)
        figure.add_scatter(
            x=[p[0] for p in points],
            y=[p[1] for p in points],
            customdata=[p[2] for p in points],
            mode="lines",
            name=safe(name),
            showlegend=not single,
            line={"color": colour, "width": 2.2},
            fill="tozeroy" if single else None,
            fillcolor="rgba(59, 125, 216, 0.07)" if single else None,
            hovertemplate="λ = %{customdata:.3g}<br>recall %{x:.3f}<br>precision %{y:.3f}<extra></extra>",
        )
    sources = {str(raw.get("source")) for raw in curves.values() if isinstance(raw, Mapping)}
    note = SOURCES.get(sources.pop(), "") if len(sources) == 1 else ""
    if single and (error := _largest_error(*curves.values())) is not None:
        note += f", ± {error:.2f}"
    figure.update_layout(
        template=template(LIGHT),
        title={"text": safe(title, 80), "subtitle": {"text": note}},
        xaxis={"title": {"text": "Recall β"}, "range": [-0.02, 1.05], "dtick": 0.25},
        yaxis={"title": {"text": "Precision α"}, "range": [-0.02, 1.05], "dtick": 0.25},
        legend={"font": {"size": 11}},
        height=360,
    )
    return figure


def _add_error_band(figure: go.Figure, raw: Mapping[str, Any] | None) -> None:
    """Where the curve may lie: every point moved along its ray by the error of its α_λ."""
    told = raw.get("error") if isinstance(raw, Mapping) else None
    points = read_curve(raw)
    if not isinstance(told, list) or len(told) != len(points) or not all(_is_number(e) for e in told):
        return
    kept = evenly([(point, float(error)) for point, error in zip(points, told, strict=True)])
    sides = [
        [(recall + way * error / lam, precision + way * error) for (recall, precision, lam), error in kept]
        for way in (1, -1)
    ]
    outline = [*sides[0], *reversed(sides[1])]
    figure.add_scatter(
        x=[min(1.0, max(0.0, x)) for x, _ in outline],
        y=[min(1.0, max(0.0, y)) for _, y in outline],
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor="rgba(59, 125, 216, 0.2)",
        hoverinfo="skip",
        showlegend=False,
    )


def _largest_error(raw: Mapping[str, Any] | None) -> float | None:
    """The largest error of α_λ that a curve tells of, for λ that are usual."""
    lams, errors = ((raw or {}).get(key) for key in ("lambda", "error"))
    if not isinstance(lams, list) or not isinstance(errors, list):
        return None
    usual = [
        float(error)
        for lam, error in zip(lams, errors, strict=False)
        if _is_number(lam) and _is_number(error) and 0.1 <= lam <= 10
    ]
    return max(usual, default=None)


def history_figure(
    history: Mapping[str, Sequence[tuple[int, float]]],
    titles: Callable[[str], str] = str,
    title: str = "Over training",
) -> go.Figure:
    """Metrics over iterations by ``titles``; those not bounded by 1, such as FID, on the right-hand axis (→).

    A long history is drawn with some of its points, the first and the last among them.
    """
    figure = go.Figure()
    right = False
    for i, (name, rows) in enumerate(history.items()):
        kept = evenly([(step, value) for step, value in rows if math.isfinite(value)])
        if not kept:
            continue
        outside = max(v for _, v in kept) > 1.5 and len(history) > 1
        right = right or outside
        figure.add_scatter(
            x=[step for step, _ in kept],
            y=[value for _, value in kept],
            mode="lines+markers",
            name=safe(titles(name)) + (" →" if outside else ""),
            yaxis="y2" if outside else "y",
            line={
                "color": CATEGORIES[i % len(CATEGORIES)],
                "width": 2,
                "dash": "dot" if outside else "solid",
            },
            marker={"size": 5, "line": {"width": 0}},
            hovertemplate="%{fullData.name} <b>%{y:.4g}</b><br>iteration %{x:,}<extra></extra>",
        )
    figure.update_layout(
        template=template(LIGHT),
        title={"text": safe(title, 80)},
        xaxis={"title": {"text": "Iteration"}},
        yaxis={"rangemode": "tozero"},
        legend={
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1.02,
            "yanchor": "bottom",
            "font": {"size": 11},
        },
        height=360,
    )
    if right:
        figure.update_layout(
            yaxis2={
                "overlaying": "y",
                "side": "right",
                "showgrid": False,
                "rangemode": "tozero",
                "showline": False,
                "tickmode": "auto",
                "nticks": 5,
            }
        )
    return figure


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
