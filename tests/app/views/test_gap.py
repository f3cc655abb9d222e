"""Filling a gap: what the page offers, and what it says where it cannot."""

from __future__ import annotations

import pytest

from tests.app.made_sweep import HOSTILE_SWEEP, MADE, OLD
from tests.app.running import html, options, run_part

pytestmark = pytest.mark.usefixtures("store")


def part(label: str, wishes: dict) -> None:
    from app.views.gap import gap_view
    from tests.app.scenes import scene_here

    gap_view(scene_here(label, wishes))


def test_the_slider_begins_at_the_widest_gap() -> None:
    app = run_part(part, label=MADE, wishes={})
    assert not app.exception
    assert options(app, "Along") == ["Precision", "Recall", "FID"]
    low, high = app.slider[0].value
    assert app.slider[0].min <= low < high <= app.slider[0].max
    command = next(c.value for c in app.code if c.language == "bash")
    assert f"--from {low:.6g} --to {high:.6g} --along recall --points 8" in command


def test_another_metric_and_a_budget_are_in_the_command() -> None:
    app = run_part(part, label=MADE, wishes={"budget": 2.0})
    app.selectbox[0].set_value("precision").run()
    assert not app.exception
    command = next(c.value for c in app.code if c.language == "bash")
    assert "--along precision" in command
    assert "--budget 2 --method obrs" in command


def test_a_stretch_is_part_of_the_view() -> None:
    app = run_part(part, label=MADE, wishes={})
    ends = app.slider[0].min, app.slider[0].max
    app = run_part(part, label=MADE, wishes={"along": "recall", "stretch": ends, "points": 3})
    assert app.slider[0].value == ends
    command = next(c.value for c in app.code if c.language == "bash")
    assert f"--from {ends[0]:.6g} --to {ends[1]:.6g} --along recall --points 3" in command
    app.selectbox[0].set_value("precision").run()
    assert not app.exception
    assert app.slider[0].value != ends, "another metric begins at its own gap"


def test_a_stretch_beside_the_front_gives_way_to_the_gap() -> None:
    wanted = run_part(part, label=MADE, wishes={}).slider[0].value
    assert run_part(part, label=MADE, wishes={"stretch": (7.0, 9.0)}).slider[0].value == wanted


def test_a_sweep_without_its_file_says_what_is_wanted() -> None:
    app = run_part(part, label=OLD, wishes={})
    assert not app.exception
    assert app.info or "no gap" in html(app)


def test_hostile_names_are_text() -> None:
    app = run_part(part, label=HOSTILE_SWEEP, wishes={})
    assert not app.exception
