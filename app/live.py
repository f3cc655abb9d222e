"""A sweep that runs: the page looks for news by itself, and is drawn again when there are some."""

from __future__ import annotations

from collections.abc import Set

import streamlit as st

from app import reading
from explorer.errors import UserError
from explorer.results.columns import Columns
from explorer.results.store import SweepInfo
from explorer.results.table import Trial

__all__ = ["is_running", "watch_store", "watch_sweep"]

SHARE = 10
"""Looking takes at most one part in this many of the time, however large the sweep: it may run on this machine."""


def is_running(info: SweepInfo, columns: Columns) -> bool:
    """Whether more may come: its launch has not ended, or a trial has not."""
    return info.status == "running" or bool((columns.statuses == "running").any())


def watch_sweep(uri: str, label: str, info: SweepInfo, read: reading.Read, statuses: Set[str]) -> None:
    """Draw the page again as soon as the sweep has more to show than what was read."""

    @st.fragment(run_every=max(reading.REFRESH_S, SHARE * read.seconds))
    def watch() -> None:
        try:
            now = reading.anew(uri, label)
        except UserError:  # a store that does not answer for a moment takes nothing off the page
            return
        if now is None or (now[1].moment > read.moment and _is_news(info, read, *now, statuses)):
            st.rerun()

    watch()


def watch_store(uri: str, label: str | None = None) -> None:
    """Draw the page again as soon as the store has a sweep, or that of a label, to which a link led before it was."""

    @st.fragment(run_every=reading.REFRESH_S)
    def watch() -> None:
        try:
            found = reading.sweeps_anew(uri)
        except UserError:
            return
        if found if label is None else label in found:
            st.rerun()

    watch()


def _is_news(
    info: SweepInfo, before: reading.Read, info_now: SweepInfo, now: reading.Read, statuses: Set[str]
) -> bool:
    """Whether the page would show something else: how a trial stands, or numbers of one that is drawn. O(trials)."""
    old, new = before.table.trials, now.table.trials
    if info.status != info_now.status or len(old) != len(new):
        return True
    return any(
        _outline(a, statuses) != _outline(b, statuses) for a, b in zip(old, new, strict=True) if a is not b
    )


def _outline(trial: Trial, statuses: Set[str]) -> tuple[object, ...]:
    return trial.id, trial.status, trial.readings if trial.status in statuses else None
