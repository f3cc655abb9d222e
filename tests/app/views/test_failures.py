"""Reasons of failures and of early ends, with ways to their trials."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from explorer.results.columns import Columns
from explorer.store.stop import Stop
from tests.app.made_sweep import MADE, TWO_METHODS
from tests.app.running import html, run_part

pytestmark = pytest.mark.usefixtures("store")


def part(label: str, wishes: dict, change: object = None) -> None:
    from dataclasses import replace

    from app.views.failures import failures_view
    from tests.app.scenes import scene_here

    scene = scene_here(label, wishes)
    failures_view(scene if change is None else replace(scene, columns=change(scene.columns)))


def stopped(columns: Columns) -> Columns:
    """Half of the trials were ended early, a few of them failed for twenty reasons."""
    trials = []
    for i, trial in enumerate(columns.trials):
        if i % 2:
            trials.append(replace(trial, stopped=Stop(20, "plateau", f"no better for {i} looks")))
        else:
            trials.append(replace(trial, status="failed", reason=f"reason <b>{i}</b>"))
    return Columns(replace(columns.table, trials=tuple(trials)))


def test_a_sweep_without_any_says_so() -> None:
    app = run_part(part, label=TWO_METHODS, wishes={})
    assert "No trial failed" in html(app)
    assert not app.button


def test_early_ends_and_failures_each_by_reason() -> None:
    app = run_part(part, label=MADE, wishes={}, change=stopped)
    assert not app.exception
    text = html(app)
    assert "Failures" in text
    assert "Ended early" in text
    assert "reason &lt;b&gt;0&lt;/b&gt;" in text
    assert any("other reason" in caption.value for caption in app.caption)
    assert np.all([button.label for button in app.button])
    assert len({button.key for button in app.button}) == len(app.button)
