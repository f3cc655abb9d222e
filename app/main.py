"""The page: choose a sweep, see its front, click a point, see its trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import streamlit as st

from app import reading
from app.drawn import drawn
from app.filters import matching
from app.header import choose_sweep, headline
from app.live import is_running, watch_store, watch_sweep
from app.selection import quick_picks
from app.sidebar import sidebar
from app.style import markdown_safe, style_sheet
from app.view import View, from_query, to_query
from app.views.audit import audit_view
from app.views.empty import empty_page, nothing_finished, nothing_to_show
from app.views.front import front_view
from app.views.listing import listing
from app.views.trial import trial_details, trial_panel
from app.wishes import put, wished
from explorer.errors import UserError
from explorer.figures import FrontView
from explorer.pareto import rank
from explorer.results.audit import audit_lambda
from explorer.results.store import SweepInfo
from explorer.results.table import TrialTable

__all__ = ["main"]

ICON = Path(__file__).parent / "static" / "icon.svg"


def main() -> None:
    """Draw the page."""
    st.set_page_config("Tradeoff Explorer", page_icon=str(ICON), layout="wide")
    style_sheet()
    try:
        _store()
    except UserError as error:
        st.error(markdown_safe(str(error), 600))


def _store() -> None:
    """The sweep of the store that the reader chose, or what to do where there is none."""
    uri = reading.tracking_uri()
    sweeps = reading.sweeps(uri)
    if not sweeps:
        empty_page(uri)
        watch_store(uri)
        return
    asked, complaints = _asked(list(sweeps))
    name = choose_sweep(sweeps, asked.sweep)
    read = reading.table(uri, name, sweeps[name])
    view = wished(name)
    for sentence in complaints if name == asked.sweep else ():
        st.warning(markdown_safe(sentence, 300))
    if read.table.complaint:
        st.warning(markdown_safe(read.table.complaint, 300))
    _page(uri, name, sweeps[name], read, view)


def _asked(names: Sequence[str]) -> tuple[View, list[str]]:
    """The view the URL asked for when this visit began, its sweep one that exists, and complaints about it."""
    if "asked" not in st.session_state:
        view, complaints = from_query({key: st.query_params.get_all(key) for key in st.query_params})
        if view.sweep is not None and view.sweep not in names:
            complaints = [f"there is no sweep '{view.sweep}' in this store; showing '{names[0]}'."]
            view = View()
        view = replace(view, sweep=view.sweep or names[0])
        put(view)
        st.session_state["asked"] = view, complaints
    asked: tuple[View, list[str]] = st.session_state["asked"]
    return asked


def _page(uri: str, name: str, info: SweepInfo, read: reading.Read, view: View) -> None:
    """All below the head; the URL has the sweep, the reader's wishes and nothing else."""
    table, running = read.table, is_running(info, read.table)
    query = to_query(view)
    if query != _query():
        st.query_params.from_dict(query)
    if running:
        watch_sweep(uri, name, info, read, view.statuses)
    if not len(table):
        nothing_finished(table, running)
        return
    shown = drawn(view, table)
    for sentence in shown.complaints:
        st.warning(markdown_safe(sentence, 300))
    sidebar(table, view, shown.figure)
    kept = replace(table, trials=tuple(t for t in table if t.status in view.statuses))
    _body(table, kept, matching(kept, shown.filters, shown.figure.at), shown.figure, uri, running)


def _body(
    whole: TrialTable, kept: TrialTable, shown: TrialTable, view: FrontView, uri: str, running: bool
) -> None:
    """Numbers and figures of the trials that pass the filters, or why there are none."""
    ranking = rank(shown, view.at)
    audit = audit_lambda(shown, view.at)
    headline(whole, shown, ranking, audit)
    if not len(kept) and not len(whole.finished()):
        nothing_finished(whole, running)
    elif not len(shown):
        nothing_to_show("No trial passes the filters. Widen them in the sidebar.")
    else:
        # Without a selection the balanced trial is shown; only the reader's own choice goes into the URL.
        balanced = quick_picks(shown, ranking.ranks, view.at).get("Balanced")
        view = view if view.selected else replace(view, selected=balanced)
        left, right = st.columns([1.55, 1], gap="large")
        with left:
            front_view(shown, ranking, view)
        with right:
            trial_panel(shown, ranking, view, uri)
        trial_details(shown, view.at, view, uri)
        listing(shown, ranking)
        audit_view(shown, audit)


def _query() -> dict[str, str | list[str]]:
    """The URL as it stands; one value is itself, several are a list."""
    found = {key: st.query_params.get_all(key) for key in st.query_params}
    return {key: values if len(values) > 1 else values[0] for key, values in found.items() if values}


if __name__ == "__main__":
    main()
