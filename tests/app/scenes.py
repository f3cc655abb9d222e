"""Scenes for tests: a table as a page shows it, a sweep of a real store, and what the charts of a page were told."""

from __future__ import annotations

import json
import os
import pkgutil
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import app.screens
import app.views
from app import reading
from app.scene import Scene, scene_of
from app.view import View
from app.wishes import put, wished
from explorer.figures.chart import Chart
from explorer.results.columns import Columns
from explorer.results.store import SweepInfo
from explorer.results.table import Trial
from tests.app.made_sweep import MADE
from tests.app.running import run_part
from tests.hostile_stores import copy_store


def scene_for(
    columns: Columns, view: View | None = None, uri: str = "sqlite:////nowhere.db", running: bool = False
) -> Scene:
    """The scene of a table that need not be in a store."""
    name = columns.table.sweep
    info = SweepInfo(name, "", "finished", len(columns), datetime(2026, 1, 1, tzinfo=UTC), "experiment", "1")
    return scene_of(uri, name, info, columns, view or View(sweep=name), running)


def scene_here(label: str, wishes: dict[str, Any]) -> Scene:
    """The scene of a sweep of the store that a page reads; the wishes are those with which the visit began."""
    if "begun" not in st.session_state:
        put(View(sweep=label, **wishes))
        st.session_state["begun"] = True
    uri = reading.tracking_uri()
    info = reading.sweeps(uri)[label]
    columns = reading.columns(uri, label, info).columns
    return scene_of(uri, label, info, columns, wished(label), running=False)


def shown_screen(screen: str, label: str = MADE, **wishes: object) -> AppTest:
    """A page of the app at a sweep of the store, without head and sidebar."""

    def page(screen: str, label: str, wishes: dict) -> None:
        from importlib import import_module

        from tests.app.scenes import scene_here

        import_module(f"app.screens.{screen}").draw(scene_here(label, wishes))

    shown = run_part(page, screen=screen, label=label, wishes=wishes)
    assert not shown.exception
    return shown


def recorded(monkeypatch: pytest.MonkeyPatch) -> dict[str, Chart]:
    """Charts of a page by their key, as they were told last; nothing is drawn."""
    found: dict[str, Chart] = {}
    for package in (app.views, app.screens):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            view = import_module(module.name)
            if hasattr(view, "chart"):
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
