"""Small pictures of what the front's trials make, for the cards of the chart."""

from __future__ import annotations

import base64
from collections.abc import Sequence

import streamlit as st

from app import reading
from explorer.results.columns import Columns
from explorer.store.addresses import sqlite_file
from explorer.store.schema import THUMB_FILE

__all__ = ["MOST_THUMBS", "thumbs"]

MOST_THUMBS = 40
"""Pictures that are sent with a chart, 6 kB each at most."""


def thumbs(uri: str, columns: Columns, rows: Sequence[int]) -> dict[str, str]:
    """Pictures by identity as ``data:`` addresses, of at most ``MOST_THUMBS`` rows of a store on this machine.

    A server is not asked for forty files with every look at a front.
    """
    if sqlite_file(uri) is None:
        return {}
    found = {
        columns.ids[row]: _thumb(uri, columns.trials[row].run_id)
        for row in rows[:MOST_THUMBS]
        if columns.trials[row].run_id
    }
    return {identity: address for identity, address in found.items() if address}


@st.cache_data(ttl=reading.FRESH_S * 20, max_entries=2000, show_spinner=False)
def _thumb(uri: str, run_id: str) -> str:
    picture = reading.picture(uri, run_id, THUMB_FILE)
    return "" if picture is None else f"data:image/png;base64,{base64.b64encode(picture).decode()}"
