"""The budget: what it buys to draw K samples for one that is kept, measured and predicted, at equal cost."""

from __future__ import annotations

import streamlit as st

from app.scene import Scene
from app.views.budget_cost import cost_view
from app.views.budget_curves import budget_slider, curves_view
from app.views.budget_methods import methods_view
from app.views.budget_none import no_budget
from app.views.empty import nothing_to_show

__all__ = ["draw"]


def draw(scene: Scene) -> None:
    """Draw the page; O(readings · N log N) for N trials."""
    columns = scene.columns
    if not columns.methods:
        no_budget(scene)
        return
    if not (scene.shown & columns.finished).any():
        nothing_to_show("No finished trial passes the filters. Widen them in the sidebar.")
        return
    budget_slider(scene)
    curves_view(scene)
    st.divider()
    cost_view(scene)
    st.divider()
    methods_view(scene)
