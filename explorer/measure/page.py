"""A measurement as one HTML file: its numbers and its curves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from explorer.errors import UserError
from explorer.measure.report import Measurement

__all__ = ["rows", "write_page"]

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1f24}"
    "table{border-collapse:collapse}td,th{padding:.25rem 1rem .25rem 0;text-align:right;"
    "font-variant-numeric:tabular-nums}td:first-child,th:first-child{text-align:left}"
    "tr+tr td{border-top:1px solid #e3e6ea}h1{font-size:1.4rem}footer{color:#57606a;font-size:.85rem}"
)
_NAMES = {"prd": "PRD (k-means)", "classifier": "classifier"}


def rows(values: dict[str, Any], prefix: str = "") -> list[tuple[str, float, float, float]]:
    """Flat (name, value, low, high) in order; nested numbers are named with a dot."""
    found = []
    for name, entry in values.items():
        if name in ("settings", "modes") or entry is None:
            continue
        if "ci" in entry:
            found.append((prefix + name, entry["value"], *entry["ci"]))
        else:
            found.extend(rows(entry, f"{prefix}{name}."))
    return found


def write_page(found: Measurement, path: Path) -> None:
    """Write the page; it needs no network."""
    from plotly.offline import get_plotlyjs

    from explorer.html import Markup, tag, text

    settings = found.values["settings"]
    head = tag("tr", *(tag("th", text(name)) for name in ("metric", "value", "low", "high")))
    body = [
        tag("tr", tag("td", text(name)), *(tag("td", text(f"{number:.4g}")) for number in numbers))
        for name, *numbers in rows(found.values)
    ]
    title = f"{settings['fake']['path']} against {settings['real']['path']}"
    notes = ", ".join(f"{key} {value}" for key, value in settings.items() if key not in ("real", "fake"))
    samples = f"{settings['real']['samples']} real, {settings['fake']['samples']} fake samples. {notes}."
    pieces = [
        tag("h1", text(title)),
        tag("table", head, *body),
        *([Markup(_figure(found))] if found.curves else []),
        tag("footer", text(samples)),
    ]
    script = f"<script>{get_plotlyjs()}</script>" if found.curves else ""
    page = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>measure</title><style>{_STYLE}</style>'
        f"{script}</head><body>{''.join(map(str, pieces))}</body></html>"
    )
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"the page must be written to a file, but {path} cannot be: {error.strerror}"
        ) from error


def _figure(found: Measurement) -> str:
    import plotly.graph_objects as go

    figure = go.Figure()
    for name, curve in found.curves.items():
        figure.add_scatter(
            x=curve.recall.tolist(),
            y=curve.precision.tolist(),
            mode="lines",
            name=_NAMES.get(name, name),
            line_width=2,
        )
    figure.update_layout(
        template="plotly_white",
        height=460,
        width=520,
        margin={"l": 60, "r": 20, "t": 20, "b": 60},
        legend={"x": 0.02, "y": 0.02, "xanchor": "left", "yanchor": "bottom"},
    )
    figure.update_xaxes(title="recall β", range=[0, 1.02])
    figure.update_yaxes(title="precision α", range=[0, 1.02], scaleanchor="x")
    return str(figure.to_html(full_html=False, include_plotlyjs=False))
