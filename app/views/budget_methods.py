"""Every refinement beside the others: fronts in one frame, and what each reaches at each K."""

from __future__ import annotations

import math

from app.chart import chart
from app.scene import Scene
from app.views.pieces import show
from app.views.tables import html_table
from app.ways import picker
from explorer.figures.budget_chart import methods_chart
from explorer.html import tag
from explorer.pareto.equal_cost import Worth, worth_of
from explorer.results.naming import number
from explorer.store.schema import PLAIN, budget_text

__all__ = ["methods_view"]


def methods_view(scene: Scene) -> None:
    """A panel per refinement, and a table of hypervolume and best metrics at every reading."""
    columns = scene.columns
    spec = methods_chart(columns, scene.shown, scene.x, scene.y, scene.selected)
    chart(spec, "refinements", on_pick=picker(scene.label))
    told = [
        tag("p", f"{name}: {columns.table.catalogue.methods[name]}", class_="tx-lead")
        for name in columns.methods
        if name in columns.table.catalogue.methods
    ]
    goals = [goal.metric for goal in columns.table.goals]
    heads = ["Refinement", "K", "Draws", "Trials", "Hypervolume", "over K = 1"]
    heads += [f"Best {columns.table.title_in_text(name)}" for name in goals]
    found = worth_of(columns, scene.shown)
    best = max((w.volume for w in found if math.isfinite(w.volume)), default=math.nan)
    rows = [_row(worth) for worth in found]
    on = [i for i, worth in enumerate(found) if worth.volume == best]
    show(tag("div", *told, html_table(heads, rows, on)))


def _row(worth: Worth) -> list[str]:
    gain = "" if worth.at == PLAIN or not math.isfinite(worth.gain) else f"{worth.gain:+.4f}"
    return [
        "as it is" if worth.at == PLAIN else worth.at.method,
        budget_text(worth.at.budget),
        number(worth.cost),
        str(worth.trials),
        number(worth.volume, 4),
        gain,
        *(number(value) for value in worth.best),
    ]
