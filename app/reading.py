"""Reading what the page shows, cached: widgets rerun the page far more often than results change.

A sweep is read once for all visits and looked at again when it may have changed. A look that finds no news returns the
very columns of the last one, so that whatever was computed from them is still there.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

import streamlit as st

from explorer.folders import default_tracking_uri
from explorer.html import is_picture
from explorer.results.columns import Columns
from explorer.results.store import SweepInfo
from explorer.results.table import TrialTable
from explorer.sources import Source, Watching, open_source
from explorer.store.foreign import load_json
from explorer.store.reach import PROMPT_S

__all__ = [
    "REFRESH_S",
    "Read",
    "anew",
    "artifact",
    "bytes_of",
    "columns",
    "forget",
    "history",
    "picture",
    "sweeps",
    "sweeps_anew",
    "tracking_uri",
]

FRESH_S = 30.0
"""What was read is remembered this long, unless the sweep is watched."""
REFRESH_S = float(os.environ.get("TRADEOFF_REFRESH", "5"))
"""Seconds between two looks at a sweep that runs; ``tradeoff app --refresh`` sets it."""
MOST_SOURCES = 16
MOST_SWEEPS = 8
"""Sweeps that are kept in memory: one of 10,000 trials takes some 200 MB."""


@dataclass(frozen=True, eq=False)
class Read:
    """A sweep as it was at a moment.

    Attributes:
        columns: its trials.
        seconds: what another look at it takes.
        moment: when it was looked at, by the clock of this process.
    """

    columns: Columns
    seconds: float
    moment: float

    @property
    def table(self) -> TrialTable:
        """Its trials, one by one."""
        return self.columns.table


class _Kept:
    """One sweep for all visits: what the last look found."""

    def __init__(self, watch: Watching, label: str) -> None:
        self.watch, self.label = watch, label
        self.seen: TrialTable | None = None
        self.read: Read | None = None
        self.lock = Lock()

    def look(self, within: float = 0.0) -> Read:
        """The sweep as it was at most ``within`` seconds ago."""
        with self.lock:
            began = time.perf_counter()
            if self.read is not None and began - self.read.moment < within:
                return self.read
            found = self.watch.look()
            if self.read is None or found is not self.seen:
                self.seen, held = found, Columns(replace(found, sweep=self.label))
            else:
                held = self.read.columns
            self.read = Read(held, self.watch.seconds, began)
            return self.read


def tracking_uri() -> str:
    """The store this page reads; the command passes it on as ``MLFLOW_TRACKING_URI``."""
    return default_tracking_uri()


@st.cache_resource(max_entries=MOST_SOURCES, show_spinner=False)
def _source(uri: str) -> Source:
    return open_source(uri, PROMPT_S)


@st.cache_resource(max_entries=MOST_SWEEPS, show_spinner=False)
def _kept(uri: str, label: str, name: str, experiment_id: str, _info: SweepInfo) -> _Kept:
    return _Kept(_source(uri).watch(label, _info), label)


@st.cache_data(ttl=FRESH_S, show_spinner=False)
def sweeps(uri: str) -> dict[str, SweepInfo]:
    """All that the address holds by label: a sweep's name, with its experiment where two share it."""
    return _source(uri).sweeps()


def columns(uri: str, label: str, info: SweepInfo) -> Read:
    """All trials of a sweep, under its label."""
    return _kept(uri, label, info.name, info.experiment_id, info).look(FRESH_S)


# All pages that watch share one look: it is remembered for a little less than the time between two.
@st.cache_data(ttl=0.8 * REFRESH_S, show_spinner=False)
def sweeps_anew(uri: str) -> dict[str, SweepInfo]:
    """All sweeps as they are now; ``sweeps`` then has them too."""
    sweeps.clear(uri)
    return sweeps(uri)


@st.cache_resource(ttl=0.8 * REFRESH_S, max_entries=MOST_SWEEPS, show_spinner=False)
def anew(uri: str, label: str) -> tuple[SweepInfo, Read] | None:
    """A sweep as it is now, None if it is gone; ``sweeps`` and ``columns`` then have it too."""
    info = sweeps_anew(uri).get(label)
    if info is None:
        return None
    return info, _kept(uri, label, info.name, info.experiment_id, info).look()


@st.cache_data(ttl=FRESH_S, max_entries=256, show_spinner=False)
def artifact(uri: str, run_id: str, name: str) -> dict[str, Any] | None:
    """A JSON artifact of a trial, or None."""
    found = _source(uri).artifact_bytes(run_id, name)
    value = None if found is None else load_json(found)
    return value if isinstance(value, dict) else None


@st.cache_data(ttl=FRESH_S, max_entries=64, show_spinner=False)
def picture(uri: str, run_id: str, name: str) -> bytes | None:
    """A picture among the artifacts of a trial, None if there is none that can be shown."""
    found = _source(uri).artifact_bytes(run_id, name)
    return found if found is not None and is_picture(found) else None


@st.cache_data(ttl=FRESH_S, max_entries=64, show_spinner=False)
def bytes_of(uri: str, run_id: str, name: str) -> bytes | None:
    """An artifact of a trial as it is, or None."""
    return _source(uri).artifact_bytes(run_id, name)


@st.cache_data(ttl=FRESH_S, max_entries=256, show_spinner=False)
def history(uri: str, run_id: str, metric: str) -> list[tuple[int, float]]:
    """(iteration, value) of a metric."""
    return list(_source(uri).history(run_id, metric))


def forget() -> None:
    """Read everything anew."""
    st.cache_data.clear()
    for kept in (_source, _kept, anew):
        kept.clear()
