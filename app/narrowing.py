"""Controls of the filters: which trials are shown. One that the reader has set is always there, to be taken away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args
from zlib import crc32

import numpy as np
import streamlit as st

from app.controls import control
from app.filters import Bound, OneOf, Span, labels, levels, offered_choices, offered_spans, stops_with, words
from app.style import markdown_safe
from app.view import View
from app.wishes import clear_filters, wish, wish_filter, wished
from explorer.results.columns import Columns
from explorer.results.fields import sentence_in
from explorer.results.table import Status
from explorer.store.schema import At

__all__ = ["narrowing"]

BOUNDED = 3
"""Goals that can be bounded."""
OFFERED = 30
"""Controls of one kind; beside them those of the filters that an address names."""
STATUSES = get_args(Status)


def narrowing(columns: Columns, view: View, at: At) -> None:
    """Draw the controls of all filters, and a button that takes them away."""
    _statuses(columns, view)
    choices, spans = offered_choices(columns), offered_spans(columns)
    _choices(columns, view, choices[:OFFERED])
    _spans(columns, view, spans[:OFFERED])
    if hidden := len(choices[OFFERED:]) + len(spans[OFFERED:]):
        st.caption(
            f"{hidden:,} more parameters vary: `in.PATH` or `range.PATH` in the address filters by them."
        )
    _bounds(columns, view, at)
    if view.filters or view.brush is not None or view.statuses != View().statuses:
        st.button(
            "Clear filters", key="clear", on_click=clear_filters, args=(columns.table.sweep,), width="stretch"
        )


def _statuses(columns: Columns, view: View) -> None:
    """Offered where it makes a difference; none chosen is all."""
    present = set(map(str, np.unique(columns.statuses)))
    if present <= {"finished"} and view.statuses == View().statuses:
        return
    everything = view.statuses == frozenset(STATUSES)
    start = [status for status in STATUSES if status in view.statuses and not everything]
    options = [status for status in STATUSES if status in present or status in start]

    def take(chosen: list[str]) -> None:
        wish(columns.table.sweep, statuses=frozenset(chosen or STATUSES))

    st.multiselect(
        "Status", options, start, placeholder="All", **control(columns.table.sweep, "statuses", start, take)
    )


def _choices(columns: Columns, view: View, offered: Sequence[str]) -> None:
    before = {f.path: f.values for f in view.filters if isinstance(f, OneOf)}
    for path in dict.fromkeys([*offered, *before]):
        options = words(columns, path)
        options += sorted(before.get(path, frozenset()) - {*options})

        def take(chosen: list[str], path: str = path) -> None:
            wish_filter(columns.table.sweep, OneOf, path, OneOf(path, frozenset(chosen)) if chosen else None)

        start = [word for word in options if word in before.get(path, ())]
        shown = control(columns.table.sweep, f"in.{path}", start, take)
        st.multiselect(
            markdown_safe(columns.table.title(path)),
            options,
            start,
            placeholder="All",
            help=_hint(columns, path),
            **shown,
        )


def _spans(columns: Columns, view: View, offered: Sequence[str]) -> None:
    before = {f.path: f for f in view.filters if isinstance(f, Span)}
    for path in dict.fromkeys([*offered, *before]):
        span = before.get(path, Span(path, None, None))
        stops = stops_with(levels(columns, path), span)
        if len(stops) < 2:
            continue
        ends = stops[0], stops[-1]
        value = (ends[0] if span.low is None else span.low, ends[1] if span.high is None else span.high)

        def take(chosen: tuple[float, float], path: str = path, ends: tuple[float, float] = ends) -> None:
            _take_span(columns.table.sweep, path, chosen, ends)

        # New stops, new widget: the browser knows a stop by its place among them.
        name = f"range.{path}|{crc32(repr(stops).encode())}"
        told = labels(stops)
        st.select_slider(
            markdown_safe(columns.table.title(path)),
            stops,
            value=value,
            format_func=told.__getitem__,
            help=_hint(columns, path),
            **control(columns.table.sweep, name, value, take),
        )


def _hint(columns: Columns, name: str) -> str | None:
    """What a parameter or metric is, for who points at its control."""
    return markdown_safe(sentence_in(columns, name), 400) or None


def _take_span(sweep: str, path: str, chosen: tuple[float, float], ends: tuple[float, float]) -> None:
    """The range chosen; an end that stands where the data end is open, unless it is the reader's own."""
    before = next((f for f in wished(sweep).filters if isinstance(f, Span) and f.path == path), None)
    own = (before.low, before.high) if before else (None, None)
    low, high = (
        None if value == end != mine else value for value, end, mine in zip(chosen, ends, own, strict=True)
    )
    wish_filter(sweep, Span, path, None if low is None and high is None else Span(path, low, high))


def _bounds(columns: Columns, view: View, at: At) -> None:
    before = {f.metric: f.limit for f in view.filters if isinstance(f, Bound)}
    goals = [goal.metric for goal in columns.table.goals]
    measured = [m for m in goals if np.isfinite(columns.metric(m, at)).any()]
    metrics = list(dict.fromkeys([*measured[:BOUNDED], *before]))
    for start in range(0, len(metrics), BOUNDED):
        row = metrics[start : start + BOUNDED]
        for metric, place in zip(row, st.columns(len(row)), strict=True):

            def take(limit: float | None, metric: str = metric) -> None:
                wish_filter(
                    columns.table.sweep, Bound, metric, None if limit is None else Bound(metric, float(limit))
                )

            sign = "≤" if columns.direction(metric) == "min" else "≥"
            limit = before.get(metric)
            shown = control(columns.table.sweep, f"bound.{metric}", limit, take)
            if (
                limit is not None
            ):  # it begins empty and is then filled: one that began with a number cannot be emptied
                st.session_state.setdefault(shown["key"], limit)
            place.number_input(
                f"{markdown_safe(columns.table.title(metric))} {sign}",
                value=None,
                format="%.12g",
                placeholder="any",
                **shown,
            )
