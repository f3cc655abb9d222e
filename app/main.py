"""The page: choose a sweep, see its front, click a point, see its trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import streamlit as st

from app import reading
from app.filters import matching
from app.header import choose_sweep, headline
from app.selection import chosen, quick_picks
from app.sidebar import sidebar
from app.style import markdown_safe, style_sheet
from app.view import View, checked, from_query, to_query
from app.views.audit import audit_view
from app.views.empty import empty_page, nothing_to_show
from app.views.front import front_view
from app.views.listing import listing
from app.views.trial import trial_details, trial_panel
from explorer.errors import UserError
from explorer.pareto import rank
from explorer.results.audit import audit_lambda
from explorer.results.table import TrialTable

__all__ = ["main"]

ICON = Path(__file__).parent / "static" / "icon.svg"


def main() -> None:
    """Draw the page."""
    st.set_page_config("Tradeoff Explorer", page_icon=str(ICON), layout="wide")
    style_sheet()
    try:
        uri = reading.tracking_uri()
        sweeps = reading.sweeps(uri)
        if not sweeps:
            empty_page(uri)
            return
        asked, complaints = _asked(list(sweeps))
        name = choose_sweep(sweeps, asked.sweep)
        table = reading.table(uri, name, sweeps[name])
    except UserError as error:
        st.error(markdown_safe(str(error), 600))
        return
    start, more = checked(asked if name == asked.sweep else View(sweep=name), table)
    for sentence in [*complaints, *more] if name == asked.sweep else ():
        st.warning(markdown_safe(sentence, 300))
    if table.complaint:
        st.warning(markdown_safe(table.complaint, 300))
    if not len(table):
        nothing_to_show("This sweep has no trials yet.")
        return
    _page(table, start, uri)


def _asked(names: Sequence[str]) -> tuple[View, list[str]]:
    """The view the URL asked for when this visit began, its sweep one that exists, and complaints about it."""
    if "asked" not in st.session_state:
        view, complaints = from_query({key: st.query_params.get_all(key) for key in st.query_params})
        if view.sweep is not None and view.sweep not in names:
            complaints = [f"there is no sweep '{view.sweep}' in this store; showing '{names[0]}'."]
            view = View()
        st.session_state["asked"] = replace(view, sweep=view.sweep or names[0]), complaints
    asked: tuple[View, list[str]] = st.session_state["asked"]
    return asked


def _page(table: TrialTable, start: View, uri: str) -> None:
    view = sidebar(table, start)
    at = table.reading(view.budget, view.method)
    view = replace(view, trial=chosen(table.sweep, start.trial))
    kept = replace(table, trials=tuple(t for t in table if t.status in view.statuses))
    shown = matching(kept, view.filters, at)
    ranking = rank(shown, at)
    audit = audit_lambda(shown, at)
    st.query_params.from_dict(to_query(view))
    headline(table, shown, ranking, audit)
    if not len(shown):
        nothing_to_show("No trial passes the filters. Widen them in the sidebar.")
    else:
        # Without a selection the balanced trial is shown; only the reader's own choice goes into the URL.
        balanced = quick_picks(shown, ranking.ranks, at).get("Balanced")
        view = view if view.trial else replace(view, trial=balanced)
        left, right = st.columns([1.55, 1], gap="large")
        with left:
            front_view(shown, ranking, view)
        with right:
            trial_panel(shown, ranking, view, uri)
        trial_details(shown, ranking.at, view, uri)
        listing(shown, ranking)
        audit_view(shown, audit)


if __name__ == "__main__":
    main()
