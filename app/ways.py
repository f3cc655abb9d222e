"""Ways about the app: its pages, and how one leads to another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import streamlit as st

from app.wishes import wish

__all__ = ["PAGES", "TO", "go", "picker"]

PAGES: Final = {
    "front": ("Front", ":material/scatter_plot:"),
    "budget": ("Budget", ":material/filter_alt:"),
    "audit": ("λ audit", ":material/tune:"),
    "trial": ("Trial", ":material/science:"),
    "compare": ("Compare", ":material/compare:"),
    "sweep": ("Sweep", ":material/timeline:"),
    "data": ("Data", ":material/database:"),
}
"""Title and icon of every page by its name in the address; the first answers at ``/``."""

TO: Final = "go to"
"""Where a callback wants the reader to be."""


def go(page: str) -> None:
    """Show another page; to be called in a callback, the next run takes the reader there."""
    st.session_state[TO] = page


def picker(label: str, page: str | None = None) -> Callable[[str], None]:
    """A callback of a chart: what was picked becomes the selected trial, shown on another page if one is named."""

    def take(identity: str) -> None:
        wish(label, trial=identity)
        if page is not None:
            go(page)

    return take
