"""The numbers of a trial: its metrics at every budget with their intervals, and all else that was measured."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from app.style import definition_list
from app.views.pieces import hint, show
from explorer.figures import score
from explorer.html import Markup, tag
from explorer.results.fields import sentence
from explorer.results.naming import number
from explorer.results.steepness import steepness_rows
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import At, budget_text

if TYPE_CHECKING:
    from app.scene import Scene

__all__ = ["readings_table", "trial_numbers"]

MOST_COLUMNS = 6
"""Metrics of the table; the fold below it has all."""
ENDS = (".low", ".high")


def trial_numbers(scene: Scene, trial: Trial) -> None:
    """The table of readings, how steep its networks are, and a fold with everything."""
    table = scene.columns.table
    if not any(trial.readings.values()):
        hint("Nothing has been measured of this trial yet.")
        return
    rows = readings_table(table, trial, scene.at, table.method(scene.method))
    show(tag("p", "Metrics by budget", class_="tx-head"), tag("div", rows, style="overflow-x: auto"))
    if steep := steepness_rows(table, trial):
        show(tag("p", "How steep", class_="tx-head"), definition_list(steep))
    with st.expander("Everything that was measured"):
        st.html(definition_list(_everything(table, trial, scene.at)))


def readings_table(table: TrialTable, trial: Trial, at: At, method: str) -> Markup:
    """A row per K: the goals, what else was measured as far as it fits, and the acceptance measured beside 1/K."""
    path = trial.path(method)
    wanted = [*table.headline_metrics(MOST_COLUMNS), "acceptance"]
    names = [name for name in dict.fromkeys(wanted) if any(name in trial.readings[k] for k in path)]
    head = tag(
        "tr",
        tag("th", "K", title="Samples drawn, on average, for one that is kept."),
        *(tag("th", table.title(name), title=sentence(name, table.catalogue)) for name in names),
    )
    rows = [
        tag(
            "tr",
            tag("td", budget_text(k.budget)),
            *(tag("td", *_cell(trial.readings[k], name)) for name in names),
            class_="on" if k == at else "",
        )
        for k in path
    ]
    return tag("table", head, *rows, class_="tx-table")


def _cell(read: Mapping[str, float], name: str) -> list[object]:
    """The value and, small, its interval at 95 % if one was measured."""
    ends = [read.get(name + end, math.nan) for end in ENDS]
    shown: list[object] = [score(read.get(name))]
    if all(map(math.isfinite, ends)):
        interval = f"{score(ends[0])} – {score(ends[1])}"
        shown.append(tag("small", interval, style="display: block; opacity: 0.6;", title="Interval at 95 %"))
    return shown


def _everything(table: TrialTable, trial: Trial, at: At) -> list[tuple[str, str]]:
    """Every number at the reading shown, and the diagnostics of training."""
    read = {**trial.metrics, **trial.at(at)} if at.budget != 1 else trial.metrics
    return [
        (table.title(name), number(read[name], 4))
        for name in table.catalogue.ordered(read)
        if not name.endswith(ENDS)
    ]
