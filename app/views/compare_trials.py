"""The pinned trials: found again in their sweeps, named apart, and how to pin and unpin them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from app import reading
from app.style import markdown_safe
from app.view import MOST_PINS
from app.views.pieces import hint, show
from app.views.pins import parts_of, pin_all, pin_of
from app.views.trial_choice import along_front, chosen_row, label_of, named, offered
from app.wishes import pin, pins
from explorer.comparison.sides import Side, names_of
from explorer.html import tag
from explorer.results.columns import Columns
from explorer.results.naming import cut

if TYPE_CHECKING:
    from app.scene import Scene

__all__ = ["Pinned", "adding", "few_pins", "found_pins", "pin_cards", "suggestions"]


@dataclass(frozen=True, eq=False)
class Pinned(Side):
    """A pinned trial, and its pin."""

    pin: str


def found_pins(scene: Scene) -> tuple[list[Pinned], list[str]]:
    """The pinned trials that are there, at most ``MOST_PINS``, and the pins of those that are not. O(1) a pin."""
    found: list[tuple[str, str, Columns, int]] = []
    gone: list[str] = []
    labels = list(reading.sweeps(scene.uri))
    for name in pins()[:MOST_PINS]:
        label, identity = parts_of(name, labels)
        columns = _columns(scene, label)
        row = None if columns is None else columns.row_of.get(identity)
        if columns is None or row is None:
            gone.append(name)
        else:
            found.append((name, label, columns, row))
    rows = [(label, columns, row) for _, label, columns, row in found]
    names = names_of(rows)
    return [Pinned(*row, name, own[0]) for row, name, own in zip(rows, names, found, strict=True)], gone


def pin_cards(pinned: Sequence[Pinned], gone: Sequence[str]) -> None:
    """A card per pinned trial with a button that takes its pin away, and a sentence for each that is gone."""
    for name in gone:
        label, identity = parts_of(name, ())
        place, button = st.columns([5, 1], vertical_alignment="center")
        told = f"Trial {cut(identity, 40)} of sweep {cut(label, 80)} is not in this store, or not any more."
        place.warning(markdown_safe(told, 300))
        _unpin(button, name)
    if not pinned:
        return
    for column, one in zip(st.columns(max(2, len(pinned))), pinned, strict=False):
        with column:
            grey = tag("span", f"{one.label} · {one.trial.id}", class_="tx-lead")
            show(tag("p", one.name, class_="tx-head"), grey)
            _unpin(st, one.pin)


def few_pins(scene: Scene, count: int) -> None:
    """What to do while there are fewer than two to compare."""
    words = (
        "Nothing is pinned yet. Pin two to six trials, of this sweep or of several, to see them beside each other."
        if count == 0
        else "One trial is pinned. Pin another to compare it with."
    )
    hint(words)
    names = suggestions(scene)
    if count == 0 and len(names) > 1:
        st.button(
            "Pin both ends and the knee of this front" if len(names) > 2 else "Pin both ends of this front",
            icon=":material/keep:",
            key="pin front",
            on_click=pin_all,
            args=(names,),
        )


def suggestions(scene: Scene) -> list[str]:
    """Pins of the trials worth a first comparison: the ends of the front and its knee, from left to right."""
    front = along_front(scene)
    if not len(front):
        return []
    middle = chosen_row(scene, front) if scene.selected is None else None
    rows = [front[0], *([middle] if middle is not None else []), front[-1]]
    return [pin_of(scene.label, scene.columns.ids[int(row)]) for row in dict.fromkeys(rows)]


def adding(scene: Scene) -> None:
    """A list of the trials of the sweep shown, to pin one of them."""
    if len(pins()) >= MOST_PINS:
        hint(f"{MOST_PINS} trials are pinned, which is as many as can be compared.")
        return
    held = set(pins())
    front = along_front(scene)
    options = [i for i in offered(scene, front, None) if pin_of(scene.label, i) not in held]

    def take() -> None:
        told = st.session_state.get("pin another")
        found = named(scene, told) if isinstance(told, str) else None
        if found is not None:
            pin_all([pin_of(scene.label, found)])
        st.session_state["pin another"] = None

    st.selectbox(
        "Pin a trial of this sweep",
        options,
        None,
        format_func=lambda one: label_of(scene, one),
        placeholder="By name or identity; for another sweep, choose it above",
        accept_new_options=True,
        key="pin another",
        on_change=take,
    )


def _unpin(place: object, name: str) -> None:
    place.button(  # type: ignore[attr-defined]
        "Unpin", icon=":material/keep_off:", key=f"unpin {name}", on_click=pin, args=(name,)
    )


def _columns(scene: Scene, label: str) -> Columns | None:
    """The trials of a sweep of the store by its label; None if there is none."""
    if label == scene.label:
        return scene.columns
    info = reading.sweeps(scene.uri).get(label)
    return None if info is None else reading.columns(scene.uri, label, info).columns
