"""Pins: trials that the reader wants beside each other, ``label/identity``, whatever sweep is shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from app.view import MOST_PINS
from app.ways import go
from app.wishes import pin, pins

if TYPE_CHECKING:
    from app.scene import Scene

__all__ = ["parts_of", "pin_all", "pin_button", "pin_of"]


def pin_of(label: str, identity: str) -> str:
    """A trial as a pin names it."""
    return f"{label}/{identity}"


def parts_of(name: str, labels: Iterable[str]) -> tuple[str, str]:
    """Label of the sweep and identity of the trial that a pin names; both may have strokes of their own.

    So it is the longest of the ``labels`` that are there with which the name begins; of none, all but the last part.
    """
    known = [label for label in labels if name.startswith(f"{label}/")]
    if known:
        label = max(known, key=len)
        return label, name[len(label) + 1 :]
    label, _, identity = name.rpartition("/")
    return label, identity


def pin_all(names: Sequence[str]) -> None:
    """Pin trials that are not pinned yet, as far as there is room."""
    for name in names:
        if name not in pins():
            pin(name)


def pin_button(scene: Scene, identity: str) -> None:
    """Pins a trial or takes its pin away, and leads to where pinned ones are compared."""
    name, held = pin_of(scene.label, identity), pins()
    is_pinned, is_full = name in held, len(held) >= MOST_PINS
    st.button(
        "Unpin" if is_pinned else "Pin",
        icon=":material/keep_off:" if is_pinned else ":material/keep:",
        key=f"{scene.label}|pin",
        on_click=pin,
        args=(name,),
        disabled=is_full and not is_pinned,
        help=f"At most {MOST_PINS} trials are compared; take a pin away first."
        if is_full and not is_pinned
        else "Keep it to compare it with others, of other sweeps too.",
    )
    if held:
        st.button(
            f"Compare {len(held)}",
            icon=":material/compare:",
            key=f"{scene.label}|to compare",
            on_click=go,
            args=("compare",),
        )
