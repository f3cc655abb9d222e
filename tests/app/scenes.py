"""Scenes for tests: a table as a page shows it."""

from __future__ import annotations

from datetime import UTC, datetime

from app.scene import Scene, scene_of
from app.view import View
from explorer.results.columns import Columns
from explorer.results.store import SweepInfo


def scene_for(
    columns: Columns, view: View | None = None, uri: str = "sqlite:////nowhere.db", running: bool = False
) -> Scene:
    """The scene of a table that need not be in a store."""
    name = columns.table.sweep
    info = SweepInfo(name, "", "finished", len(columns), datetime(2026, 1, 1, tzinfo=UTC), "experiment", "1")
    return scene_of(uri, name, info, columns, view or View(sweep=name), running)
