"""Pages of trials for tests: a scene of a real store inside a page, and what its charts were told."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import streamlit as st

from app import reading
from app.scene import Scene, scene_of
from app.view import View
from app.wishes import put, wished
from explorer.figures.chart import Chart
from explorer.results.table import Trial
from tests.hostile_stores import copy_store

CHARTED = ("samples", "trial_curves", "compare_charts")
"""Views that draw charts."""


def scene_here(label: str, wishes: dict[str, Any]) -> Scene:
    """The scene of a sweep of the store that a page reads; the wishes are those with which the visit began."""
    if "begun" not in st.session_state:
        put(View(sweep=label, **wishes))
        st.session_state["begun"] = True
    uri = reading.tracking_uri()
    info = reading.sweeps(uri)[label]
    columns = reading.columns(uri, label, info).columns
    return scene_of(uri, label, info, columns, wished(label), running=False)


def recorded(monkeypatch: pytest.MonkeyPatch) -> dict[str, Chart]:
    """Charts of a page by their key, as they were told last; nothing is drawn."""
    from importlib import import_module

    found: dict[str, Chart] = {}
    for name in CHARTED:
        view = import_module(f"app.views.{name}")
        monkeypatch.setattr(view, "chart", lambda spec, key, **_: found.__setitem__(key, spec))
    return found


def own_copy(store_uri: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> str:
    """A copy of the store, to be changed, as the one that a page reads."""
    file = copy_store(Path(store_uri.removeprefix("sqlite:///")).parent, folder)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{file}")
    reading.forget()
    return f"sqlite:///{file}"


def write_artifact(uri: str, trial: Trial, name: str, content: object) -> None:
    """Put an artifact among those of a trial: bytes and text as they are, anything else as JSON."""
    folder = Path(uri.removeprefix("sqlite:///")).parent / "artifacts" / trial.run_id / "artifacts"
    os.makedirs(folder, exist_ok=True)  # noqa: PTH103
    data = content if isinstance(content, bytes | str) else json.dumps(content)
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
