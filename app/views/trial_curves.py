"""The curves of a trial: precision against recall by every estimator, and metrics over training."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app import reading
from app.chart import chart
from app.views.pieces import hint, show
from explorer.figures.curve_chart import pr_curves_chart
from explorer.figures.history_chart import history_chart
from explorer.html import tag
from explorer.results.estimates import PRCurve, curves_of
from explorer.results.table import Trial
from explorer.store.schema import CURVE_FILE, CURVES_FILE

if TYPE_CHECKING:
    from app.scene import Scene

__all__ = ["curves_view", "history_view", "trial_curves"]

MOST_METRICS = 5
"""Metrics over training; more lines tell less."""


def trial_curves(uri: str, trial: Trial) -> dict[str, PRCurve]:
    """The PR curves of a trial by the name of their estimator; O(1) requests to the store."""
    return curves_of(
        reading.artifact(uri, trial.run_id, CURVES_FILE), reading.artifact(uri, trial.run_id, CURVE_FILE)
    )


def curves_view(scene: Scene, trial: Trial) -> None:
    """All curves in one chart, and below it a sentence on each."""
    curves = trial_curves(scene.uri, trial)
    if not curves:
        hint("No PR curve was stored for this trial that can be drawn.")
        return
    chart(
        pr_curves_chart(_by_title(curves), file=f"pr-curves-{trial.id}"),
        key="curve",
    )
    if len(curves) > 1:
        told = [
            tag("li", tag("b", curve.title), f" {curve.sentence}")
            for curve in curves.values()
            if curve.sentence
        ]
        show(tag("ul", *told, style="margin: 0; font-size: 0.88rem;"))


def history_view(scene: Scene, trial: Trial) -> None:
    """The goals over training, and what else was measured as far as it fits."""
    table = scene.columns.table
    goals = [goal.metric for goal in table.goals if goal.metric in trial.metrics]
    more = [name for name in table.headline_metrics(MOST_METRICS) if name in trial.metrics]
    names = list(dict.fromkeys([*goals, *more]))[: max(MOST_METRICS, len(goals))]
    rows = {name: reading.history(scene.uri, trial.run_id, name) for name in names}
    made = history_chart(rows, table.title)
    if made is None:
        hint("This trial was evaluated once, so it has no history.")
        return
    chart(made, key="history")


def _by_title(curves: dict[str, PRCurve]) -> dict[str, PRCurve]:
    """Curves as a legend has them: by title, with the name where two share one."""
    titles = [curve.title for curve in curves.values()]
    return {
        curve.title if titles.count(curve.title) == 1 else f"{curve.title} ({name})": curve
        for name, curve in curves.items()
    }
