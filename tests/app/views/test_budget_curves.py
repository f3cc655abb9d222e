"""Curves in K where no PR curve is stored, and what can be chosen against K."""

from __future__ import annotations

import pytest

from explorer.figures.chart import Chart
from tests.app.made_sweep import MADE, OLD
from tests.app.running import html, options, run_part, told

pytestmark = pytest.mark.usefixtures("store")


def part(label: str, wishes: dict) -> None:
    from app.views.budget_curves import budget_slider, curves_view
    from tests.app.scenes import scene_here

    scene = scene_here(label, wishes)
    budget_slider(scene)
    curves_view(scene)


def test_runs_without_stored_curves_have_no_prediction(charts: dict[str, Chart]) -> None:
    app = run_part(part, label=OLD, wishes={})
    assert not app.exception
    assert "nothing is predicted" in html(app)
    assert "Measured against predicted" not in html(app)


def test_goals_that_are_no_axis_come_first_against_the_budget(charts: dict[str, Chart]) -> None:
    app = run_part(part, label=MADE, wishes={"budget": 4.0})
    names = options(app, "Metric against K")
    assert names[0] == "FID"
    assert {"Precision", "Recall", "Coverage"} <= set(names)
    assert "Training time" not in names


def test_the_slider_begins_at_the_wish_and_is_not_told_another(charts: dict[str, Chart]) -> None:
    app = run_part(part, label=MADE, wishes={"budget": 4.0})
    assert app.select_slider[0].value == 4.0
    assert told(app) == []
