"""One trial: what it is, what it makes, how it got there."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from app import reading
from app.selection import choose, quick_picks
from app.style import PLOT_CONFIG, chip, definition_list, palette
from app.view import View
from explorer.figures import (
    Samples,
    history_figure,
    number,
    plain,
    pr_curve_figure,
    read_curve,
    samples_figure,
    score,
    themed,
    title_of,
)
from explorer.html.markup import Markup, tag
from explorer.results.table import Trial, TrialTable

__all__ = ["trial_details", "trial_panel"]

HISTORY = ("precision", "recall", "fid")


def trial_panel(table: TrialTable, ranks: Mapping[str, int], view: View, uri: str) -> None:
    """Beside the front: the selected trial's samples, or how to select one."""
    picks = quick_picks(table, ranks, view.budget)
    with st.container(horizontal=True, gap="xsmall", key="picks"):
        for label, identity in picks.items():
            st.button(
                label,
                key=f"pick {label}",
                on_click=choose,
                args=(table.sweep, identity),
                type="primary" if identity == view.trial else "secondary",
            )
    trial = next((t for t in table if t.id == view.trial), None)
    if trial is None:
        st.html(
            tag(
                "p",
                "Click a point of the figure to see its samples.",
                class_="tx-hint",
            )
        )
        return
    st.html(_heading(trial, ranks.get(trial.id)))
    samples = Samples.from_artifact(reading.artifact(uri, trial.run_id, "samples.json"))
    if samples is None:
        _picture(uri, trial)
        return
    budgets = samples.available()
    budget = view.budget if view.budget in budgets else budgets[0]
    if len(budgets) > 1:
        chosen = st.segmented_control(
            "Rejection budget K",
            budgets,
            default=budget,
            format_func=lambda k: f"K = {number(k)}",
            key=f"samples {trial.id} {budget}",
            label_visibility="collapsed",
        )
        budget = budget if chosen is None else chosen
    figure = themed(samples_figure(samples, budget), palette())
    st.plotly_chart(figure, theme=None, key="samples", config={**PLOT_CONFIG, "displayModeBar": False})


def trial_details(table: TrialTable, view: View, uri: str) -> None:
    """Below the front: config, metrics by K, PR curve and training of the selected trial."""
    trial = next((t for t in table if t.id == view.trial), None)
    if trial is None:
        return
    left, middle, right = st.columns([1, 1.15, 1.15], gap="medium")
    with left:
        st.html(tag("p", "Metrics by budget", class_="tx-head") + _metrics(trial, view.budget))
        st.html(tag("p", "Config", class_="tx-head") + definition_list(_config(table, trial)))
        if trial.reason:
            st.html(tag("p", "Why it failed", class_="tx-head"))
            st.code(trial.reason, language=None, wrap_lines=True)
    curve = reading.artifact(uri, trial.run_id, "curve.json")
    with middle:
        if read_curve(curve):
            figure = themed(pr_curve_figure({trial.id: curve}), palette())
            st.plotly_chart(figure, theme=None, key="curve", config=PLOT_CONFIG)
        else:
            st.html(tag("p", "No PR curve was stored for this trial.", class_="tx-hint"))
    with right:
        rows = {m: reading.history(uri, trial.run_id, m) for m in HISTORY if m in trial.metrics}
        if any(len(r) > 1 for r in rows.values()):
            st.plotly_chart(
                themed(history_figure(rows), palette()), theme=None, key="history", config=PLOT_CONFIG
            )
        else:
            st.html(tag("p", "This trial was evaluated once, so it has no history.", class_="tx-hint"))


def _picture(uri: str, trial: Trial) -> None:
    image = reading.picture(uri, trial.run_id, "samples.png")
    if image is None:
        st.html(tag("p", "No samples were stored for this trial.", class_="tx-hint"))
    else:
        st.image(image, width="stretch")


def _heading(trial: Trial, rank: int | None) -> Markup:
    if trial.status != "finished":
        state = chip(trial.status, "bad" if trial.status == "failed" else "")
    elif rank == 0:
        state = chip("on the front", "good")
    else:
        state = chip("filtered out or not ranked" if rank is None else f"dominated, rank {rank}")
    return tag("p", "Trial ", tag("code", trial.id), state, class_="tx-head")


def _config(table: TrialTable, trial: Trial) -> list[tuple[str, str]]:
    """Varying parameters first, then what all trials share."""
    varying = [p for p in table.varying() if p in trial.params]
    paths = varying + [p for p in sorted(trial.params) if p not in varying]
    return [(title_of(p), plain(trial.params[p])) for p in paths]


def _metrics(trial: Trial, budget: float) -> Markup:
    """A row per K; the acceptance measured beside 1/K."""
    by_budget = {1.0: trial.metrics, **trial.budgets}
    names = [
        n for n in ("precision", "recall", "fid", "acceptance") if any(n in at for at in by_budget.values())
    ]
    head = tag("tr", tag("th", "K"), *(tag("th", title_of(n)) for n in names))
    rows = [
        tag(
            "tr",
            tag("td", number(k)),
            *(tag("td", score(at.get(n))) for n in names),
            class_="on" if k == budget else "",
        )
        for k, at in sorted(by_budget.items())
    ]
    return tag("table", head, *rows, class_="tx-table")
