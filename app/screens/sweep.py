"""The sweep: how far it is, how its front grew, what failed, what it cost, and where to go on."""

from __future__ import annotations

import streamlit as st

from app.scene import Scene
from app.views.empty import nothing_finished
from app.views.failures import failures_view
from app.views.gap import gap_view
from app.views.progress import growth_view, numbers_view
from app.views.sweep_file import sweep_file_view

__all__ = ["draw"]


def draw(scene: Scene) -> None:
    """Draw the page; it is about all trials of the sweep, whatever the filters say."""
    found = numbers_view(scene)
    if not scene.columns.finished.any():
        nothing_finished(scene.columns.table, scene.running)
    else:
        growth_view(scene, found)
    if len(scene.columns):
        st.divider()
        failures_view(scene)
    if scene.columns.finished.any() and scene.info.kind == "sweep":  # others have no sweep file to go on from
        st.divider()
        gap_view(scene)
    sweep_file_view(scene)
