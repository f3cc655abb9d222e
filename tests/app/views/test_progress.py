"""Numbers of a sweep that runs and of one that has ended."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from explorer.figures.chart import Chart
from explorer.results.columns import Columns
from tests.app.made_sweep import EMPTY, MADE
from tests.app.running import html, run_part

pytestmark = pytest.mark.usefixtures("store")


def part(label: str, wishes: dict, change: object = None) -> None:
    from dataclasses import replace

    from app.views.progress import growth_view, numbers_view
    from tests.app.scenes import scene_here

    scene = scene_here(label, wishes)
    if change is not None:
        scene = replace(scene, columns=change(scene.columns), running=True)
    growth_view(scene, numbers_view(scene))


def begun(columns: Columns) -> Columns:
    """The first ten trials have ended, a minute after each other; the last of them runs."""
    first = 1_700_000_000_000
    trials = [
        replace(trial, started=first, ended=first + 60_000 * (i + 1))
        for i, trial in enumerate(columns.trials[:10])
    ]
    trials.append(replace(columns.trials[10], status="running", started=first, ended=0))
    return Columns(replace(columns.table, trials=tuple(trials)))


def text_of(app: object) -> str:
    return re.sub(r"<[^>]+>", " ", html(app))


def test_a_sweep_that_runs_says_how_much_is_left(charts: dict[str, Chart]) -> None:
    app = run_part(part, label=MADE, wishes={}, change=begun)
    assert not app.exception
    text = text_of(app)
    assert "of 27 planned" in text
    assert "10 finished, 1 running" in text
    assert "trials a minute, of late" in text
    assert "at this pace" in text


def test_one_that_has_ended_says_what_it_took(charts: dict[str, Chart]) -> None:
    text = text_of(run_part(part, label=MADE, wishes={}))
    assert "at this pace" not in text
    assert "Training seconds" in text
    assert "GPU seconds" not in text, "nobody told any"


def test_a_sweep_without_trials(charts: dict[str, Chart]) -> None:
    app = run_part(part, label=EMPTY, wishes={})
    assert not app.exception
    assert "none has begun" in text_of(app)
    assert "once two trials have finished" in text_of(app)
    assert not charts
