"""Reading the tracking store, cached: widgets rerun the page far more often than results change."""

from __future__ import annotations

import os
import time
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from explorer.folders import default_tracking_uri
from explorer.html import is_picture
from explorer.results.store import ResultStore, SweepInfo
from explorer.results.table import TrialTable

__all__ = [
    "REFRESH_S",
    "Read",
    "anew",
    "artifact",
    "forget",
    "history",
    "picture",
    "sweeps",
    "sweeps_anew",
    "table",
    "tracking_uri",
]

FRESH_S = 30.0
"""What was read is remembered this long, unless the sweep is watched."""
REFRESH_S = float(os.environ.get("TRADEOFF_REFRESH", "5"))
"""Seconds between two looks at a sweep that runs; ``tradeoff app --refresh`` sets it."""


@dataclass(frozen=True)
class Read:
    """A table, the seconds it took to read, and when that was, by the clock of this process."""

    table: TrialTable
    seconds: float
    moment: float


def tracking_uri() -> str:
    """The store this page reads; the command passes it on as ``MLFLOW_TRACKING_URI``."""
    return default_tracking_uri()


@st.cache_resource(show_spinner=False)
def _store(uri: str) -> ResultStore:
    return ResultStore(uri)


@st.cache_data(ttl=FRESH_S, show_spinner=False)
def sweeps(uri: str) -> dict[str, SweepInfo]:
    """All sweeps of the store by label: the name, with its experiment where two share it."""
    infos = _store(uri).sweeps()
    names = Counter(info.name for info in infos)
    return {i.name if names[i.name] == 1 else f"{i.name} @ {i.experiment}": i for i in infos}


@st.cache_data(ttl=FRESH_S, max_entries=8, show_spinner=False)
def table(uri: str, label: str, info: SweepInfo) -> Read:
    """All trials of a sweep, under its label."""
    began = time.perf_counter()
    found = replace(_store(uri).table(info.name, info.experiment_id), sweep=label)
    return Read(found, time.perf_counter() - began, began)


# All pages that watch share one look: it is remembered for a little less than the time between two.
@st.cache_data(ttl=0.8 * REFRESH_S, show_spinner=False)
def sweeps_anew(uri: str) -> dict[str, SweepInfo]:
    """All sweeps as they are now; ``sweeps`` then has them too."""
    sweeps.clear(uri)
    return sweeps(uri)


@st.cache_data(ttl=0.8 * REFRESH_S, max_entries=8, show_spinner=False)
def anew(uri: str, label: str) -> tuple[SweepInfo, Read] | None:
    """A sweep as it is now, None if it is gone; ``sweeps`` and ``table`` then have it too."""
    info = sweeps_anew(uri).get(label)
    if info is None:
        return None
    table.clear(uri, label, info)
    return info, table(uri, label, info)


@st.cache_data(ttl=FRESH_S, max_entries=256, show_spinner=False)
def artifact(uri: str, run_id: str, name: str) -> dict[str, Any] | None:
    """A JSON artifact of a trial, or None."""
    return _store(uri).artifact_json(run_id, name)


@st.cache_data(ttl=FRESH_S, max_entries=64, show_spinner=False)
def picture(uri: str, run_id: str, name: str) -> bytes | None:
    """A picture among the artifacts of a trial, None if there is none that can be shown."""
    found = _store(uri).artifact_bytes(run_id, name)
    return found if found is not None and is_picture(found) else None


@st.cache_data(ttl=FRESH_S, max_entries=256, show_spinner=False)
def history(uri: str, run_id: str, metric: str) -> list[tuple[int, float]]:
    """(iteration, value) of a metric."""
    return list(_store(uri).history(run_id, metric))


def forget() -> None:
    """Read everything anew."""
    st.cache_data.clear()
