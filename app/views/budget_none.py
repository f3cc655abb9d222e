"""A sweep that was read as it is alone: what a budget would show, and how to have it."""

from __future__ import annotations

import shlex

import streamlit as st

from app.scene import Scene
from explorer.html import tag

__all__ = ["no_budget"]


def no_budget(scene: Scene) -> None:
    """What a refinement is, the line of the sweep file, and the command; nothing is trained again."""
    st.html(
        tag(
            "div",
            tag("h2", "This sweep was read at K = 1 only", class_="tx-title"),
            tag(
                "p",
                "A refinement draws K samples for one that it keeps, by the critic's ratio of the densities: it buys "
                "precision, for which recall may pay. Every trial then is a curve in K, and this page compares them.",
            ),
            tag("p", "Say in the sweep file at which K trials are read:"),
            tag("pre", "refinement: {name: obrs, budgets: [1, 1.5, 2, 4]}"),
            tag(
                "p",
                "and launch it again. Stored models are read at the new budgets; nothing is trained again:",
            ),
            tag("pre", f"tradeoff sweep {shlex.quote(scene.info.name + '.yaml')}"),
            class_="tx-empty",
        )
    )
