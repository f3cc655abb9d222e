"""Head and foot of every page: the sweep and its state above, the page as a file below."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import streamlit as st

from app import reading, saving
from app.controls import begin_at
from app.scene import Scene
from app.style import card, cards, chip
from app.ways import PAGES
from explorer.figures.front_marks import Marks
from explorer.html import tag
from explorer.pareto.corner import corner_of
from explorer.pareto.dominance import hypervolume
from explorer.results.naming import number
from explorer.results.store import SweepInfo
from explorer.words import counted

__all__ = ["choose_sweep", "foot", "headline"]


def choose_sweep(sweeps: Mapping[str, SweepInfo], wanted: str | None) -> str:
    """Title and chooser; the label of the sweep chosen."""
    labels = list(sweeps)
    left, middle, right = st.columns([6, 3, 0.6], vertical_alignment="bottom")
    chosen: str = middle.selectbox("Sweep", labels, begin_at(labels, wanted), key="sweep")
    right.button(
        "", icon=":material/refresh:", help="Read the store again", on_click=reading.forget, key="refresh"
    )
    info = sweeps[chosen]
    lead = info.description or f"{counted(info.trials, 'trial')}, {info.status}"
    live = [chip("running", "live")] if info.status == "running" else []
    title = tag("h1", "Tradeoff Explorer", *live, class_="tx-title")
    left.html(tag("div", title, tag("p", lead, class_="tx-lead", title=lead)))
    return chosen


def headline(scene: Scene, marks: Marks) -> None:
    """Headline numbers: trials, the front, its hypervolume, and the best of what is to be small, such as FID."""
    columns, table = scene.columns, scene.columns.table
    shown = int(scene.shown.sum())
    notes = [f"of {len(columns):,}" if shown != len(columns) else "all shown"]
    notes += [
        f"{count:,} {status}"
        for status in ("failed", "running")
        if (count := int((columns.statuses == status).sum()))
    ]
    front, what = int(marks.front.sum()), "trial" if marks.seeds else "configuration"
    volume = hypervolume(marks.goals[marks.front], corner_of(columns))
    goals = ", ".join(table.title_in_text(goal.metric) for goal in table.goals)
    items = [
        card("Trials", f"{shown:,}", ", ".join(notes)),
        card("On the front", f"{front:,}", f"of {counted(len(marks), what)}"),
        card("Hypervolume", number(volume), f"{goals}, {scene.words}"),
    ]
    for goal in [goal for goal in table.goals if goal.direction == "min"][:1]:
        values = marks.of(goal.metric)
        if np.isfinite(values).any():
            best = int(np.nanargmin(values))
            items.append(
                card(f"Best {table.title(goal.metric)}", number(float(values[best])), marks.names()[best])
            )
    content = cards(items)
    saving.keep(content)
    st.html(content)


def foot(page: str, scene: Scene) -> None:
    """The whole page as a file."""
    with st.container(key="foot"):
        saving.button(f"{PAGES[page][0]} of {scene.label}")
