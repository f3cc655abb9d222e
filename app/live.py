"""A sweep that runs: the page looks for news by itself, and is drawn again when there are some."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import streamlit as st

from app import reading
from explorer.errors import UserError
from explorer.results.store import SweepInfo
from explorer.results.table import TrialTable

__all__ = ["is_running", "watch_store", "watch_sweep"]

SHARE = 10
"""Reading takes at most one part in this many of the time, however large the sweep: it may run on this machine."""


def is_running(info: SweepInfo, table: TrialTable) -> bool:
    """Whether more may come: its launch has not ended, or a trial has not."""
    return info.status == "running" or any(trial.status == "running" for trial in table)


def watch_sweep(uri: str, label: str, info: SweepInfo, read: reading.Read, statuses: Set[str]) -> None:
    """Draw the page again as soon as the sweep has more to show than what was read."""
    before = _outline(info, read.table, statuses)
    every = max(reading.REFRESH_S, SHARE * read.seconds)

    @st.fragment(run_every=every)
    def watch() -> None:
        try:
            now = reading.anew(uri, label)
        except UserError:  # a store that does not answer for a moment takes nothing off the page
            return
        if now is None or (
            now[1].moment > read.moment and _outline(now[0], now[1].table, statuses) != before
        ):
            st.rerun()

    watch()


def watch_store(uri: str) -> None:
    """Draw the page again as soon as the store has a sweep."""

    @st.fragment(run_every=reading.REFRESH_S)
    def watch() -> None:
        try:
            found = reading.sweeps_anew(uri)
        except UserError:
            return
        if found:
            st.rerun()

    watch()


def _outline(info: SweepInfo, table: TrialTable, statuses: Set[str]) -> list[Any]:
    """All that the page shows: how every trial stands, and the numbers of those that are drawn."""
    trials = [(t.id, t.status, t.readings if t.status in statuses else None) for t in table]
    return [info.status, *trials]
