"""The sidebar: what to draw, and which trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, get_args

import streamlit as st

from app.filters import Bound, Filter, OneOf, Span, label, levels, offered_choices, offered_spans, words
from app.style import markdown_safe
from app.view import View
from explorer.figures import colour_names, column, direction_of, numeric_names
from explorer.results.table import Status, TrialTable

__all__ = ["sidebar"]

BOUNDED = 3
"""Goals that can be bounded from the sidebar."""


def sidebar(table: TrialTable, view: View) -> View:
    """Draw the controls; the view they now describe.

    ``view`` gives the first values. Later the widgets' own state wins, kept under keys of this sweep.
    """
    with st.sidebar:
        st.markdown("##### Figure")
        view = _figure(table, view)
        st.markdown("##### Trials")
        statuses = _statuses(table, view)
        filters = [*_choices(table, view), *_spans(table, view), *_bounds(table, view)]
    return replace(view, statuses=statuses, filters=tuple(filters))


def _figure(table: TrialTable, view: View) -> View:
    method, methods = view.method, table.methods()
    if len(methods) > 1:
        method = st.selectbox(
            "Refinement", methods, key=_seed(table, "method", view.method or methods[0], methods)
        )
    budget, budgets = view.budget, table.budgets(method)
    if len(budgets) > 1:
        budget = st.select_slider(
            "Rejection budget K",
            budgets,
            key=_seed(table, "budget", view.budget if view.budget in budgets else 1.0, budgets),
            format_func=lambda k: f"{k:g}",
            help="Every trial is read at each K: on average K samples are drawn for one that is kept.",
        )
    # What was measured depends on the reading: diagnostics of training exist at K = 1 only.
    at = table.reading(budget, method)
    axes, colours = numeric_names(table, at), colour_names(table, at)
    left, right = st.columns(2)
    x = left.selectbox("Horizontal", axes, key=_choice(table, "x", view.x, axes), format_func=table.title)
    y = right.selectbox("Vertical", axes, key=_choice(table, "y", view.y, axes), format_func=table.title)
    colour = st.selectbox(
        "Colour", colours, key=_choice(table, "colour", view.colour, colours), format_func=table.title
    )
    dominated = st.toggle("Dominated trials", key=_seed(table, "dominated", view.dominated))
    paths = st.toggle("Paths as K grows", key=_seed(table, "paths", view.paths))
    return replace(
        view, x=x, y=y, colour=colour, budget=budget, method=method, dominated=dominated, paths=paths
    )


def _statuses(table: TrialTable, view: View) -> frozenset[str]:
    present = [s for s in get_args(Status) if any(t.status == s for t in table)]
    if set(present) <= {"finished"}:
        return view.statuses
    start = [s for s in present if s in view.statuses]
    chosen = st.multiselect("Status", present, key=_seed(table, "statuses", start, present))
    return frozenset(chosen) or frozenset(present)


def _choices(table: TrialTable, view: View) -> list[Filter]:
    found: list[Filter] = []
    for path in offered_choices(table):
        options = words(table, path)
        before = next(
            (f.values for f in view.filters if isinstance(f, OneOf) and f.path == path), frozenset()
        )
        start = [w for w in options if w in before]
        name = markdown_safe(table.title(path))
        chosen = st.multiselect(
            name, options, key=_seed(table, f"in.{path}", start, options), placeholder="All"
        )
        if chosen:
            found.append(OneOf(path, frozenset(chosen)))
    return found


def _spans(table: TrialTable, view: View) -> list[Filter]:
    found: list[Filter] = []
    for path in offered_spans(table):
        stops = levels(table, path)
        before = next((f for f in view.filters if isinstance(f, Span) and f.path == path), None)
        # Only a pair as value makes a range of it, so this one is not set through the state; new stops, new widget.
        key = f"{table.sweep}|range.{path}|{stops[0]}..{stops[-1]}#{len(stops)}"
        chosen: Any = st.select_slider(
            markdown_safe(table.title(path)), stops, value=_snap(stops, before), key=key, format_func=label
        )
        if tuple(chosen) != (stops[0], stops[-1]):
            found.append(Span(path, *chosen))
    return found


def _bounds(table: TrialTable, view: View) -> list[Filter]:
    found: list[Filter] = []
    at = table.reading(view.budget, view.method)
    goals = [goal.metric for goal in table.goals]
    metrics = [m for m in goals if any(isinstance(v, float) for v in column(table, m, at).values)][:BOUNDED]
    if not metrics:
        return found
    for metric, place in zip(metrics, st.columns(len(metrics)), strict=True):
        sign = "≤" if direction_of(table, metric) == "min" else "≥"
        before = next((f.limit for f in view.filters if isinstance(f, Bound) and f.metric == metric), None)
        limit = place.number_input(
            f"{markdown_safe(table.title(metric))} {sign}",
            key=_seed(table, f"bound.{metric}", before),
            value=None,
            format="%.4g",
            placeholder="any",
        )
        if limit is not None:
            found.append(Bound(metric, float(limit)))
    return found


def _snap(stops: Sequence[float], span: Span | None) -> tuple[float, float]:
    """The stops nearest to a span's ends; the whole range without one."""
    if span is None:
        return stops[0], stops[-1]
    low, high = sorted((span.low, span.high))
    return min(stops, key=lambda s: abs(s - low)), min(stops, key=lambda s: abs(s - high))


def _choice(table: TrialTable, name: str, wanted: str, options: Sequence[str]) -> str:
    """As ``_seed``, with the first option where the wanted one is not there."""
    return _seed(table, name, wanted if wanted in options else next(iter(options), None), options)


def _seed(table: TrialTable, name: str, value: Any, options: Sequence[Any] | None = None) -> str:
    """Key of a widget, its state set once from ``value`` and again if the options no longer hold it."""
    key = f"{table.sweep}|{name}"
    state = st.session_state.get(key)
    held = state if isinstance(state, list | tuple) else [state]
    stale = options is not None and any(v not in options for v in held)
    if key not in st.session_state or stale:
        st.session_state[key] = value
    return key
