"""What differs between pinned trials, and their metrics with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import streamlit as st

from app.style import definition_list
from app.views.compare_trials import Pinned
from app.views.pieces import hint, show
from explorer.comparison.sides import are_siblings, metric_names
from explorer.figures import score
from explorer.html import Markup, tag
from explorer.pareto.comparison import Estimate, best_of, differing, estimates, shared
from explorer.results.fields import sentence
from explorer.results.naming import plain
from explorer.results.table import Scalar
from explorer.store.schema import At

__all__ = ["differences_view", "metrics_view"]


def differences_view(pinned: Sequence[Pinned]) -> None:
    """A row per field that differs, values unlike the first one's in bold; the fields alike are folded."""
    points = [one.trial.params for one in pinned]
    apart, alike = differing(points), shared(points)
    table = pinned[0].columns.table
    show(tag("p", "What differs", class_="tx-head"))
    if apart:
        rows = [
            [
                tag("td", table.title(path), title=sentence(path, table.catalogue) or path),
                *(_value(point, path, points[0]) for point in points),
            ]
            for path in apart
        ]
        show(_table(pinned, rows))
    else:
        hint("Nothing of what was trained differs.")
    if alike:
        with st.expander(f"{len(alike)} fields alike"):
            st.html(definition_list([(table.title(path), plain(value)) for path, value in alike.items()]))


def metrics_view(pinned: Sequence[Pinned], at: At) -> None:
    """A row per metric: the mean over the seeds of each configuration with its interval; the best in bold."""
    names = metric_names([(one, one.reading(at)) for one in pinned])
    show(tag("p", "Metrics", class_="tx-head"))
    if not names:
        hint("Nothing has been measured of these trials yet.")
        return
    alone = are_siblings(pinned)
    found = [estimates(one.columns, one.row, names, one.reading(at), alone) for one in pinned]
    rows = []
    for name in names:
        table = next(one.columns.table for one in pinned if name in one.columns.metric_names(one.reading(at)))
        direction = next((d for one in pinned if (d := one.columns.direction(name)) is not None), None)
        cells = [each[name] for each in found]
        best = best_of(cells, direction)
        arrow = {"max": " ↑", "min": " ↓"}.get(direction or "", "")
        rows.append(
            [
                tag("td", table.title(name) + arrow, title=sentence(name, table.catalogue)),
                *(_estimate(cell, i in best) for i, cell in enumerate(cells)),
            ]
        )
    at_words = [tag("td", "Reading"), *(tag("td", one.reading(at).words()) for one in pinned)]
    show(_table(pinned, [at_words, *rows]))
    numbers = (
        "Two are seeds of one configuration: these are numbers of single seeds, ± half of the interval at 95 % "
        "measured with them, if there is one."
        if alone
        else "Mean over the finished seeds of each configuration ± half of its interval at 95 % (Student's t); of a "
        "single seed the interval measured with it, if there is one."
    )
    note = f"{numbers} Bold: the best, and what cannot be told from it, unless that is all of them."
    show(tag("p", note, class_="tx-lead"))


def _value(point: Mapping[str, Scalar], path: str, first: Mapping[str, Scalar]) -> Markup:
    text = plain(point[path]) if path in point else "–"
    other = (path in point, point.get(path)) != (path in first, first.get(path))
    return tag("td", tag("b", text) if other else text)


def _estimate(cell: Estimate, best: bool) -> Markup:
    value = score(cell.value if math.isfinite(cell.value) else None)
    parts: list[object] = [tag("b", value) if best else value]
    if cell.is_sure:
        low, high = cell.value - cell.low, cell.high - cell.value
        even = math.isclose(low, high, rel_tol=1e-6, abs_tol=1e-12)
        parts.append(f" ± {score(high)}" if even else f" ({score(cell.low)} – {score(cell.high)})")
    if cell.seeds > 1:
        parts.append(tag("small", f" {cell.seeds} seeds", style="opacity: 0.6;"))
    return tag("td", *parts)


def _table(pinned: Sequence[Pinned], rows: Sequence[Sequence[Markup]]) -> Markup:
    head = tag("tr", tag("th", ""), *(tag("th", one.name) for one in pinned))
    body = [tag("tr", *row) for row in rows]
    return tag("div", tag("table", head, *body, class_="tx-table"), style="overflow-x: auto")
