"""The app: choose a sweep, and look at it on seven pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import streamlit as st

from app import places, reading, saving
from app.address import plain_history
from app.header import choose_sweep, foot
from app.live import is_running, watch_store, watch_sweep
from app.scene import Scene, scene_of
from app.screens import audit, budget, compare, data, front, sweep, trial
from app.sidebar import sidebar
from app.style import markdown_safe, style_sheet
from app.view import View, from_query, to_query
from app.views.empty import empty_page, nothing_finished, waiting_page
from app.ways import PAGES, TO
from app.wishes import put, wished
from explorer.errors import UserError
from explorer.results.store import SweepInfo
from explorer.store.addresses import shown_address

__all__ = ["main"]

ICON = Path(__file__).parent / "static" / "icon.svg"

# What draws each page of ``PAGES``. No strings below constants here: Streamlit would show them.
DRAWN: Mapping[str, Callable[[Scene], None]] = {
    "front": front.draw,
    "budget": budget.draw,
    "audit": audit.draw,
    "trial": trial.draw,
    "compare": compare.draw,
    "sweep": sweep.draw,
    "data": data.draw,
}
# Pages that have something to say of a sweep without trials.
EVEN_EMPTY = ("sweep", "data", "compare")


def main() -> None:
    """Draw the page that the address names."""
    st.set_page_config("Tradeoff Explorer", page_icon=str(ICON), layout="wide")
    style_sheet()
    plain_history()
    page = _page()
    saving.begin()
    try:
        _store(page)
    except UserError as error:
        st.error(markdown_safe(str(error), 600))


def _page() -> str:
    """The name of the page: that of the address, or where a callback wants the reader to be."""
    pages = {
        name: st.Page(_nothing, title=title, icon=icon, url_path=name, default=name == "front")
        for name, (title, icon) in PAGES.items()
    }
    chosen = st.navigation(list(pages.values()), position="top")
    wanted = st.session_state.pop(TO, None)
    if wanted is not None and pages[wanted].url_path != chosen.url_path:
        st.switch_page(pages[wanted])
    # The default page answers at the root, and its path is empty.
    return chosen.url_path or "front"


def _nothing() -> None:
    """Streamlit wants a page to be a function; all pages are drawn below."""


def _store(page: str) -> None:
    """The sweep of the place that the reader chose, or what to do where there is none."""
    uri, offered = places.chosen_place(), places.offered()
    if offered is not None and page != "data":
        st.info(
            f"This link names another place, {markdown_safe(shown_address(offered), 200)}. The Data page opens it."
        )
    try:
        sweeps = reading.sweeps(uri)
    except UserError as error:
        st.error(markdown_safe(str(error), 600))
        data.other_places()
        return
    if not sweeps:
        empty_page(uri)
        data.other_places()
        watch_store(uri)
        return
    asked, complaints, is_named = _asked(sweeps)
    name = _wanted(list(sweeps), asked.sweep, is_named)
    if name is None:
        waiting_page(asked.sweep or "", list(sweeps))
        if page == "data":
            data.other_places()
        watch_store(uri, asked.sweep or "")
        return
    name = choose_sweep(sweeps, name)
    read = reading.columns(uri, name, sweeps[name])
    for sentence in complaints if name == asked.sweep else ():
        st.warning(markdown_safe(sentence, 300))
    if read.table.complaint:
        st.warning(markdown_safe(read.table.complaint, 300))
    _sweep(page, uri, name, sweeps[name], read)


def _asked(sweeps: Mapping[str, SweepInfo]) -> tuple[View, list[str], bool]:
    """What the link asked for when this visit came to the place, complaints about it, and whether it named the sweep.

    Where it did not, the newest one of that moment with a trial stays: a newer one does not push it off the page.
    """
    key = f"asked|{places.chosen_place()}"
    if key not in st.session_state:
        view, complaints = from_query(places.link_query())
        newest = next(
            (name for name, info in sweeps.items() if info.trials or info.status == "running"), None
        )
        asked = replace(view, sweep=view.sweep or newest or next(iter(sweeps)))
        put(asked)
        st.session_state[key] = asked, complaints, view.sweep is not None
    found: tuple[View, list[str], bool] = st.session_state[key]
    return found


def _wanted(names: Sequence[str], asked: str | None, is_named: bool) -> str | None:
    """The sweep to show: the reader's own choice, else the one asked for; None where a link's is still to come."""
    for own in (st.session_state.get("sweep"), st.session_state.get("instead"), asked):
        if own in names:
            return str(own)
    return None if is_named else names[0]


def _sweep(page: str, uri: str, name: str, info: SweepInfo, read: reading.Read) -> None:
    """All below the head; the URL has the sweep, the reader's wishes and nothing else."""
    view, running = wished(name), is_running(info, read.columns)
    query = {**to_query(view), **places.link()}
    if {key: [told] if isinstance(told, str) else told for key, told in query.items()} != _query():
        st.query_params.from_dict(query)
    if running:
        watch_sweep(uri, name, info, read, view.statuses)
    if not len(read.columns) and page not in EVEN_EMPTY:
        nothing_finished(read.table, running)
        return
    scene = scene_of(uri, name, info, read.columns, view, running)
    for sentence in scene.complaints:
        st.warning(markdown_safe(sentence, 300))
    if page not in (*EVEN_EMPTY, "trial") and not (scene.kept.any() or read.columns.finished.any()):
        nothing_finished(read.table, running)
    else:
        DRAWN[page](scene)
        foot(page, scene)
    # What was wished for is known already: the figure need not wait until the browser has drawn all controls.
    sidebar(page, scene)


def _query() -> dict[str, list[str]]:
    """The URL as it stands."""
    return {key: values for key in st.query_params if (values := st.query_params.get_all(key))}


if __name__ == "__main__":
    main()
