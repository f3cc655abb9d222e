"""One trial: what it is, what it makes, how it got there."""

from __future__ import annotations

import streamlit as st

from app import reading
from app.selection import quick_picks
from app.style import PLOT_CONFIG, chip, definition_list, markdown_safe, palette
from app.wishes import wish
from explorer.figures import (
    FrontView,
    Samples,
    history_figure,
    pr_curve_figure,
    read_curve,
    samples_figure,
    score,
    themed,
)
from explorer.html import Markup, tag
from explorer.pareto import Ranking
from explorer.results.naming import Naming, plain
from explorer.results.steepness import steepness_rows
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import CURVE_FILE, PICTURE_FILE, PLAIN, SAMPLES_FILE, At, budget_text

__all__ = ["trial_details", "trial_panel"]


def trial_panel(table: TrialTable, ranking: Ranking, view: FrontView, uri: str) -> None:
    """Beside the front: the selected trial's samples, or how to select one."""
    picks = quick_picks(table, ranking.ranks, ranking.at)
    with st.container(horizontal=True, gap="xsmall", key="picks"):
        for label, identity in picks.items():
            st.button(
                markdown_safe(label),
                key=f"pick {label}",
                on_click=wish,
                args=(table.sweep,),
                kwargs={"trial": identity},
                type="primary" if identity == view.selected else "secondary",
            )
    trial = next((t for t in table if t.id == view.selected), None)
    if trial is None:
        st.html(
            tag(
                "p",
                "Click a point of the figure to see its samples.",
                class_="tx-hint",
            )
        )
        return
    st.html(_heading(table, trial, ranking.ranks.get(trial.id)))
    samples = Samples.from_artifact(reading.artifact(uri, trial.run_id, SAMPLES_FILE))
    if samples is None:
        _picture(uri, trial)
        return
    readings = {at.budget: at for at in samples.available(table.method(view.method))}
    at = ranking.at if ranking.at in readings.values() else PLAIN
    if len(readings) > 1:
        chosen = st.segmented_control(
            "Rejection budget K",
            list(readings),
            default=at.budget,
            format_func=lambda k: f"K = {budget_text(k)}",
            key=f"samples {trial.id} {at.text()}",
            label_visibility="collapsed",
        )
        at = at if chosen is None else readings[chosen]
    note = f"{len(samples.at(at)):,} samples at {table.words(at)}"
    figure = themed(samples_figure(samples, at, note=note), palette())
    st.plotly_chart(figure, theme=None, key="samples", config={**PLOT_CONFIG, "displayModeBar": False})


def trial_details(table: TrialTable, at: At, view: FrontView, uri: str) -> None:
    """Below the front: config, metrics by K, PR curve and training of the selected trial."""
    trial = next((t for t in table if t.id == view.selected), None)
    if trial is None:
        return
    left, middle, right = st.columns([1, 1.15, 1.15], gap="medium")
    with left:
        if trial.why:
            st.html(tag("p", _why(trial), class_="tx-head"))
            st.code(trial.why, language=None, wrap_lines=True)
        st.html(
            tag("p", "Metrics by budget", class_="tx-head")
            + _metrics(table, trial, at, table.method(view.method))
        )
        st.html(tag("p", "Config", class_="tx-head") + definition_list(_config(table, trial)))
        if steep := steepness_rows(table, trial):
            st.html(tag("p", "How steep", class_="tx-head") + definition_list(steep))
    curve = reading.artifact(uri, trial.run_id, CURVE_FILE)
    with middle:
        if read_curve(curve):
            figure = themed(pr_curve_figure({trial.id: curve}), palette())
            st.plotly_chart(figure, theme=None, key="curve", config=PLOT_CONFIG)
        else:
            st.html(tag("p", "No PR curve was stored for this trial that can be drawn.", class_="tx-hint"))
    with right:
        goals = [goal.metric for goal in table.goals if goal.metric in trial.metrics]
        rows = {metric: reading.history(uri, trial.run_id, metric) for metric in goals}
        if any(len(r) > 1 for r in rows.values()):
            st.plotly_chart(
                themed(history_figure(rows, table.title), palette()),
                theme=None,
                key="history",
                config=PLOT_CONFIG,
            )
        else:
            st.html(tag("p", "This trial was evaluated once, so it has no history.", class_="tx-hint"))


def _why(trial: Trial) -> str:
    if trial.status != "finished":
        return "Why it failed"
    return "What was not read" if trial.stopped is None else "Why it ended early"


def _picture(uri: str, trial: Trial) -> None:
    image = reading.picture(uri, trial.run_id, PICTURE_FILE)
    if image is None:
        st.html(tag("p", "No samples were stored for this trial that can be shown.", class_="tx-hint"))
    else:
        st.image(image, width="stretch")


def _heading(table: TrialTable, trial: Trial, rank: int | None) -> Markup:
    if trial.status != "finished":
        state = chip(trial.status, "bad" if trial.status == "failed" else "")
    elif rank == 0:
        state = chip("on the front", "good")
    else:
        state = chip("filtered out or not ranked" if rank is None else f"dominated, rank {rank}")
    ended = [chip("ended early")] if trial.status == "finished" and trial.stopped is not None else []
    name = Naming.of([t.params for t in table]).name(trial.params)
    head = tag("p", "Trial ", tag("code", trial.id), state, *ended, class_="tx-head")
    return head + tag("p", name, class_="tx-lead") if name else head


def _config(table: TrialTable, trial: Trial) -> list[tuple[str, str]]:
    """Varying parameters first, then what all trials share."""
    varying = [p for p in table.varying() if p in trial.params]
    paths = varying + [p for p in sorted(trial.params) if p not in varying]
    return [(table.title(p), plain(trial.params[p])) for p in paths]


def _metrics(table: TrialTable, trial: Trial, at: At, method: str) -> Markup:
    """A row per K: the goals, and the acceptance measured beside 1/K."""
    path = trial.path(method)
    wanted = [*(goal.metric for goal in table.goals), "acceptance"]
    names = [n for n in wanted if any(n in trial.readings[k] for k in path)]
    head = tag("tr", tag("th", "K"), *(tag("th", table.title(n)) for n in names))
    rows = [
        tag(
            "tr",
            tag("td", budget_text(k.budget)),
            *(tag("td", score(trial.readings[k].get(n))) for n in names),
            class_="on" if k == at else "",
        )
        for k in path
    ]
    return tag("table", head, *rows, class_="tx-table")
