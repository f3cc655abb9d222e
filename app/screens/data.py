"""Where the trials come from, and what they strive for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from app import places, reading, saving
from app.controls import control
from app.scene import Scene
from app.style import definition_list, markdown_safe
from app.views.pieces import show
from app.views.tables import html_table
from app.wishes import wish
from explorer.errors import UserError
from explorer.goals import MOST_GOALS, Direction, Goal
from explorer.html import tag
from explorer.results.fields import sentence_in
from explorer.sources.opening import checked_source
from explorer.store.addresses import shown_address

__all__ = ["draw", "other_places"]

REFUSED = "refused place"
WAYS = {"max": "larger is better", "min": "smaller is better"}
MOST_SAVED = 200
"""Sweeps of a page that is saved."""
KINDS = """\
sqlite:///FILE          an MLflow store in a file, ours or not
http://HOST:PORT        an MLflow server
FILE.csv                a row per trial
optuna:sqlite:///FILE   studies of Optuna; also journal files"""


def draw(scene: Scene) -> None:
    """The place with its sweeps, another place, and the objectives of the sweep shown."""
    left, right = st.columns([1.2, 1], gap="large")
    with left:
        show(_section("This place", shown_address(scene.uri)))
        _sweeps(scene)
    with right:
        _objectives(scene)
        other_places()


def other_places() -> None:
    """A field for another address; a button where the link names one. Nothing where none may be opened."""
    if not places.is_open():
        return
    st.html(_section("Another place", "It is read, never written."))
    if REFUSED in st.session_state:
        st.error(markdown_safe(st.session_state.pop(REFUSED), 400))
    offered = places.offered()
    if offered is not None:
        st.info(f"This link names {markdown_safe(shown_address(offered), 200)}.")
        st.button("Open it", key="open offered", on_click=_open, args=(offered,))
    with st.form("another place", border=False):
        address = st.text_input("Address", placeholder="sqlite:///…, http://…, FILE.csv, optuna:sqlite:///…")
        if st.form_submit_button("Open") and address.strip():
            _try(address.strip())
    st.code(KINDS, language=None)
    if places.chosen_place() != reading.tracking_uri():
        st.button("Back to the store of this command", on_click=_open, args=(reading.tracking_uri(),))


def _try(address: str) -> None:
    """Open an address that holds something; else a sentence says what is wrong with it."""
    try:
        if not places.may_open(address):
            raise UserError(
                f"an address must be printable text of at most 2,000 characters, got {address[:80]!r}"
            )
        found = reading.sweeps(checked_source(address))
    except UserError as error:
        st.error(markdown_safe(str(error), 400))
        return
    if not found:
        st.warning(f"{markdown_safe(shown_address(address), 200)} holds no sweep, experiment or study.")
        return
    _open(address)
    st.rerun()


def _open(address: str) -> None:
    try:
        places.choose(address)
    except UserError as error:
        st.session_state[REFUSED] = str(error)
        return
    st.session_state.pop("sweep", None)
    st.session_state.pop("instead", None)


def _sweeps(scene: Scene) -> None:
    """All sweeps of the place; a click shows one."""
    sweeps = reading.sweeps(scene.uri)
    labels = list(sweeps)
    frame = pd.DataFrame(
        {
            "Sweep": labels,
            "Trials": [info.trials for info in sweeps.values()],
            "Status": [info.status for info in sweeps.values()],
            "Last launch": [info.updated for info in sweeps.values()],
            "Experiment": [info.experiment for info in sweeps.values()],
            "Description": [info.description for info in sweeps.values()],
        }
    )
    rows = [
        [name, f"{info.trials:,}", info.status, f"{info.updated:%Y-%m-%d %H:%M}", info.experiment]
        for name, info in list(sweeps.items())[:MOST_SAVED]
    ]
    saving.keep(html_table(["Sweep", "Trials", "Status", "Last launch (UTC)", "Experiment"], rows))
    st.dataframe(
        frame,
        key="sweeps",
        hide_index=True,
        on_select=lambda: _take(labels),
        selection_mode="single-row",
        height=min(38 + 35 * len(labels), 420),
        column_config={"Last launch": st.column_config.DatetimeColumn(format="distance")},
    )


def _take(labels: Sequence[str]) -> None:
    event: Any = st.session_state.get("sweeps")
    for row in event.selection.rows if event else ():
        if 0 <= row < len(labels):
            st.session_state["sweep"] = labels[row]
            st.session_state["instead"] = labels[row]


def _objectives(scene: Scene) -> None:
    """Which metrics the front is about, and where better lies."""
    table = scene.columns.table
    show(_section("Objectives", "Fronts, ranks and hypervolumes are about these. The store stays as it is."))
    saving.keep(definition_list([(table.title(goal.metric), WAYS[goal.direction]) for goal in table.goals]))
    offered = [name for name in scene.columns.metric_names() if not table.catalogue.is_diagnostic(name)]
    goals = {goal.metric: goal.direction for goal in table.goals}
    offered = list(dict.fromkeys([*goals, *offered]))

    def choose(chosen: list[str]) -> None:
        kept = [Goal(name, goals.get(name) or scene.columns.direction(name) or "max") for name in chosen]
        wish(scene.label, goals=tuple(kept[:MOST_GOALS]), brush=None)

    shown = list(goals)
    st.multiselect(
        "Metrics",
        offered,
        shown,
        format_func=table.title,
        max_selections=MOST_GOALS,
        label_visibility="collapsed",
        **control(scene.label, "goals", shown, choose),
    )
    for goal in table.goals:
        _direction(scene, goal)
    if scene.view.goals:
        st.button("Back to the sweep's own", on_click=lambda: wish(scene.label, goals=(), brush=None))


def _direction(scene: Scene, goal: Goal) -> None:
    table = scene.columns.table

    def take(chosen: Direction) -> None:
        others = [Goal(g.metric, chosen) if g.metric == goal.metric else g for g in table.goals]
        wish(scene.label, goals=tuple(others), brush=None)

    st.segmented_control(
        markdown_safe(table.title(goal.metric)),
        ["max", "min"],
        default=goal.direction,
        format_func=WAYS.__getitem__,
        required=True,
        help=markdown_safe(sentence_in(scene.columns, goal.metric), 300) or None,
        **control(scene.label, f"direction of {goal.metric}", goal.direction, take),
    )


def _section(title: str, note: str) -> Any:
    return tag("div", tag("h2", title, class_="tx-head"), tag("p", note, class_="tx-lead"))
