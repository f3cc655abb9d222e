"""Which trial is shown: the reader's own choice, or the knee of the front, and the way from one to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from app.controls import begin_at, control
from app.style import markdown_safe
from app.wishes import wish
from explorer.pareto.choice import knee
from explorer.pareto.dominance import front_mask

if TYPE_CHECKING:
    from app.scene import Scene

__all__ = ["along_front", "chosen_row", "named", "offered", "step", "trial_chooser"]

Rows = NDArray[np.int64]
MOST_OFFERED = 500
"""Trials that the chooser lists; any other is found by its identity."""


def along_front(scene: Scene) -> Rows:
    """Rows of the shown trials that no other shown one dominates, by the horizontal column. O(N log N)."""
    columns = scene.columns
    ranked = np.flatnonzero(scene.shown & columns.finished)
    goals = columns.goals(scene.at)[ranked]
    rows = ranked[front_mask(goals)] if goals.shape[1] else ranked[:0]
    place = columns.numbers(scene.x, scene.at)[rows]
    return rows[np.lexsort((rows, place))]


def chosen_row(scene: Scene, front: Rows) -> int | None:
    """The trial that the reader selected, else the front's knee, else the first that is shown; None without trials."""
    if scene.selected is not None:
        return scene.columns.row_of[scene.selected]
    if len(front):
        return int(front[knee(scene.columns.goals(scene.at)[front])])
    for mask in (scene.shown, scene.kept, np.ones(len(scene.columns), dtype=np.bool_)):
        if mask.any():
            return int(np.argmax(mask))
    return None


def step(scene: Scene, front: Rows, row: int, way: int) -> int | None:
    """The next trial of the front before (-1) or after (1) a trial, by the horizontal column; None at its end.

    Where there is no front it is the next of all, in their order.
    """
    if not len(front):
        return row + way if 0 <= row + way < len(scene.columns) else None
    here = np.flatnonzero(front == row)
    if len(here):
        place = int(here[0]) + way
    else:
        values = scene.columns.numbers(scene.x, scene.at)
        after = int(np.searchsorted(values[front], values[row]))
        place = after if way > 0 else after - 1
    return int(front[place]) if 0 <= place < len(front) else None


def offered(scene: Scene, front: Rows, row: int | None) -> list[str]:
    """Identities to choose from: the front in its order, the others shown, then those that are not."""
    first = list(front[:MOST_OFFERED]) + ([] if row is None else [row])
    others = [np.flatnonzero(mask)[:MOST_OFFERED] for mask in (scene.shown, ~scene.shown)]
    rows = dict.fromkeys(map(int, [*first, *others[0], *others[1]]))
    return [scene.columns.ids[i] for i in list(rows)[:MOST_OFFERED]]


def named(scene: Scene, told: str) -> str | None:
    """The identity that a reader wrote, or how one begins, or a trial's name; None if it is nobody's. O(N)."""
    text = told.strip()
    if not text:
        return None
    if text in scene.columns.row_of:
        return text
    begins = [identity for identity in scene.columns.ids if identity.startswith(text)]
    if len(begins) == 1:
        return begins[0]
    return next(
        (i for i, name in zip(scene.columns.ids, scene.columns.names, strict=True) if name == text), None
    )


def trial_chooser(scene: Scene, front: Rows, row: int) -> None:
    """A list of trials by name, and buttons that walk along the front."""
    columns, identity = scene.columns, scene.columns.ids[row]
    options = offered(scene, front, row)

    def take(told: str | None) -> None:
        found = None if told is None else named(scene, told)
        if found is not None:
            wish(scene.label, trial=found)

    place, *ways = st.columns([6, 1, 1], vertical_alignment="bottom")
    more = f" The list has {len(options)} of {len(columns):,}." if len(options) < len(columns) else ""
    place.selectbox(
        "Trial",
        options,
        begin_at(options, identity),
        format_func=lambda one: label_of(scene, one),
        accept_new_options=True,
        help=f"By name, or by the first digits of its identity.{more}",
        **control(scene.label, "trial chooser", identity, take),
    )
    for column, way, words, icon in (
        (ways[0], -1, "Previous", ":material/chevron_left:"),
        (ways[1], 1, "Next", ":material/chevron_right:"),
    ):
        target = step(scene, front, row, way)
        column.button(
            words,
            icon=icon,
            key=f"{scene.label}|{words}",
            on_click=wish,
            args=(scene.label,),
            kwargs={"trial": None if target is None else columns.ids[target]},
            disabled=target is None,
            width="stretch",
            help=f"{words} trial of the front, by {markdown_safe(columns.table.title_in_text(scene.x))}"
            if len(front)
            else f"{words} trial",
        )


def label_of(scene: Scene, identity: str) -> str:
    """A trial in a list: its name and, behind it, its identity."""
    row = scene.columns.row_of.get(identity)
    if row is None:
        return identity
    name, status = scene.columns.names[row], str(scene.columns.statuses[row])
    told = identity if name == identity else f"{name}   {identity}"
    return told if status == "finished" else f"{told}   {status}"
