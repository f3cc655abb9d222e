"""Pages of budgets and sweeps for tests: what their charts were told."""

from __future__ import annotations

from importlib import import_module

import pytest

from explorer.figures.chart import Chart

CHARTED = ("budget_curves", "budget_cost", "budget_methods", "progress")
"""Views that draw charts."""


def recorded(monkeypatch: pytest.MonkeyPatch) -> dict[str, Chart]:
    """Charts of a page by their key, as they were told last; nothing is drawn."""
    found: dict[str, Chart] = {}
    for name in CHARTED:
        view = import_module(f"app.views.{name}")
        monkeypatch.setattr(view, "chart", lambda spec, key, **_: found.__setitem__(key, spec))
    return found
