"""The sidebar: what to draw, and which trials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from app.controls import begin_at, control
from app.drawn import settled
from app.narrowing import narrowing
from app.view import View
from app.wishes import put, wished
from explorer.figures import FrontView, colour_names, numeric_names
from explorer.results.table import TrialTable
from explorer.store.schema import budget_text

__all__ = ["sidebar"]


def sidebar(table: TrialTable, view: View, drawn: FrontView) -> None:
    """Draw the controls: each shows the reader's wish, or what the page chose for lack of one."""
    with st.sidebar:
        st.markdown("##### Figure")
        _figure(table, drawn)
        st.markdown("##### Trials")
        narrowing(table, view, drawn.at)


def _figure(table: TrialTable, drawn: FrontView) -> None:
    sweep, methods = table.sweep, table.methods()
    if len(methods) > 1:
        method = drawn.method or methods[0]
        shown = control(sweep, "method", method, _settle(table, "method"))
        st.selectbox("Refinement", methods, begin_at(methods, method), **shown)
    budgets = table.budgets(drawn.method)
    if len(budgets) > 1:
        st.select_slider(
            "Rejection budget K",
            budgets,
            value=drawn.at.budget,
            format_func=budget_text,
            help="Every trial is read at each K: on average K samples are drawn for one that is kept.",
            **control(sweep, "budget", drawn.at.budget, _settle(table, "budget")),
        )
    # What was measured depends on the reading: diagnostics of training exist at K = 1 only.
    axes, colours = numeric_names(table, drawn.at), colour_names(table, drawn.at)
    if axes:
        left, right = st.columns(2)
        _column(left, "Horizontal", axes, table, "x", drawn.x)
        _column(right, "Vertical", axes, table, "y", drawn.y)
    if colours:
        _column(st, "Colour", colours, table, "colour", drawn.colour)
    st.toggle("Dominated trials", drawn.dominated, **control(sweep, "dominated", drawn.dominated))
    st.toggle("Paths as K grows", drawn.paths, **control(sweep, "paths", drawn.paths))


def _column(place: Any, title: str, names: Sequence[str], table: TrialTable, wish: str, shown: str) -> None:
    """A selectbox for a column of the table."""
    kept = control(table.sweep, wish, shown)
    place.selectbox(title, names, begin_at(names, shown), format_func=table.title, **kept)


def _settle(table: TrialTable, field: str) -> Callable[[Any], None]:
    """Another reading is chosen: what it does not have gives way."""

    def take(value: Any) -> None:
        changes: dict[str, Any] = {field: value}
        put(settled(replace(wished(table.sweep), **changes), table))

    return take
