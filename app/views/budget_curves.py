"""The budget page's first part: the slider of K, curves in K, and what theory predicts."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from app.chart import chart
from app.controls import control
from app.scene import Scene, settled
from app.views.pieces import show
from app.views.tables import html_table
from app.ways import picker
from app.wishes import put, wished
from explorer.figures.budget_chart import Drawn, budget_chart, drawn_of, metric_chart
from explorer.html import tag
from explorer.store.schema import budget_text

__all__ = ["budget_slider", "curves_view"]

LAW = (
    "Dashed: α′ = min(1, K·α at λ/K), the curve of the model as it is under the optimal acceptance with the exact "
    "ratio p/q (Vérine 2024, ch. 6). Precision and recall are read at the λ at which that curve has what was "
    "measured at K = 1, so they agree there, unless that lies beyond all of the curve; below the dashed line lies what "
    "the critic's ratio loses."
)


def budget_slider(scene: Scene) -> None:
    """The same wish as the sidebar's slider: every point of the page moves with it."""
    budgets = scene.columns.budgets(scene.method)

    def take(budget: float) -> None:
        put(settled(replace(wished(scene.label), budget=budget), scene.columns))

    st.select_slider(
        "Draws for one sample that is kept, K",
        budgets,
        value=scene.at.budget,
        format_func=budget_text,
        **control(scene.label, "budget here", scene.at.budget, take),
    )


def curves_view(scene: Scene) -> None:
    """Configurations as curves in K, one metric against K, and measured less predicted."""
    method = scene.method or scene.columns.methods[0]
    drawn = drawn_of(scene.columns, scene.shown, method, scene.at, scene.selected)
    left, right = st.columns([1.5, 1], gap="large")
    with left:
        chart(budget_chart(drawn, scene.x, scene.y), "budget", on_pick=picker(scene.label))
    with right:
        names = _metrics(scene)
        name = st.selectbox(
            "Metric against K", names, format_func=scene.columns.table.title, key=f"{scene.label}|against K"
        )
        if name is not None:
            chart(metric_chart(drawn, name), "against K", on_pick=picker(scene.label))
    _residuals(scene, drawn)


def _metrics(scene: Scene) -> list[str]:
    """What was measured at the K shown: goals that are no axis first, then what else is no diagnostic."""
    table, known = scene.columns.table, scene.columns.metric_names(scene.at)
    goals = [goal.metric for goal in table.goals if goal.metric in known]
    others = [name for name in known if name not in goals and not table.catalogue.is_diagnostic(name)]
    axes = (scene.x, scene.y)
    return [*sorted(goals, key=lambda name: name in axes), *others]


def _residuals(scene: Scene, drawn: Drawn) -> None:
    """A row per K and metric of the plane that theory speaks of; nothing where it speaks of none."""
    table, rows = scene.columns.table, []
    for name in dict.fromkeys((scene.y, scene.x)):
        found = drawn.curves.residuals(name, drawn.predicted)
        for one in found:
            cells = [
                table.title(name),
                f"K = {budget_text(one.budget)}",
                f"{one.mean:+.3f}",
                f"{one.largest:+.3f}",
            ]
            rows.append([*cells, str(one.count)])
    if not rows:
        if drawn.curves.predicts(scene.y) or drawn.curves.predicts(scene.x):
            told = "No PR curve of these trials is stored, so nothing is predicted: curves take data of known law."
            show(tag("p", told, class_="tx-hint"))
        return
    which = "the selected configuration" if drawn.selected is not None else "the front's configurations"
    heads = ["Metric", "Budget", "Mean", "Largest", "Configurations"]
    lead = f"Measured less predicted, of {which}."
    show(
        tag(
            "div",
            tag("h2", "Measured against predicted", class_="tx-head"),
            tag("p", lead, class_="tx-lead"),
            html_table(heads, rows, on=_at(scene, rows)),
            tag("p", LAW, class_="tx-hint"),
        )
    )


def _at(scene: Scene, rows: list[list[str]]) -> list[int]:
    """Rows of the K that is shown."""
    shown = f"K = {budget_text(scene.at.budget)}"
    return [i for i, row in enumerate(rows) if row[1] == shown]
