"""Pages without a front."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from app.style import markdown_safe
from explorer.html import tag
from explorer.results.naming import cut
from explorer.results.table import TrialTable
from explorer.store.addresses import shown_address

__all__ = ["empty_page", "nothing_finished", "nothing_to_show", "waiting_page"]

MOST_OFFERED = 8
"""Sweeps that are named while another is waited for."""


def empty_page(uri: str) -> None:
    """A store without sweeps: how to get one."""
    st.html(
        tag(
            "div",
            tag("h1", "No sweeps yet", class_="tx-title"),
            tag(
                "p",
                "The store ",
                tag("code", shown_address(uri)),
                " holds no sweep. Run the demo, which takes a few minutes:",
            ),
            tag("pre", "make demo"),
            tag("p", "or any other preset or sweep file:"),
            tag("pre", "tradeoff presets\ntradeoff sweep demo"),
            tag("p", "Its trials appear here by themselves while it runs.", class_="tx-lead"),
            class_="tx-empty",
        )
    )


def waiting_page(sweep: str, others: Sequence[str]) -> None:
    """A link to a sweep that is not there yet: it is waited for, and the reader may look at another meanwhile."""
    st.html(
        tag(
            "div",
            tag("h1", "Waiting for this sweep", class_="tx-title"),
            tag(
                "p",
                "There is no sweep ",
                tag("code", cut(sweep, 120)),
                " here yet. It appears by itself.",
            ),
            tag("p", "Meanwhile the store has others:", class_="tx-lead"),
            class_="tx-empty",
        )
    )
    _, middle, _ = st.columns([1, 2, 1])
    for label in others[:MOST_OFFERED]:
        middle.button(
            markdown_safe(label), key=f"instead {label}", on_click=_instead, args=(label,), width="stretch"
        )


def _instead(label: str) -> None:
    st.session_state["instead"] = label


def nothing_finished(table: TrialTable, running: bool) -> None:
    """A sweep of which nothing has finished: how it stands, and that one need not do anything."""
    begun = sum(trial.status == "running" for trial in table)
    if not running:
        told = "No trial of this sweep has finished." if len(table) else "This sweep has no trials yet."
        nothing_to_show(told)
        return
    told = f"{begun} trial{'s are' if begun > 1 else ' is'} in training." if begun else "It has just begun."
    st.html(
        tag(
            "div",
            tag("h2", "No trial has finished yet", class_="tx-title"),
            tag("p", f"{told} The front appears here by itself with the first that finishes."),
            class_="tx-empty",
        )
    )


def nothing_to_show(sentence: str) -> None:
    """A sentence in place of the front."""
    st.html(tag("p", sentence, class_="tx-hint"))
