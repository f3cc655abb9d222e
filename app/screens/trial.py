"""The page of one trial: what it makes, why it falls short, how it got there, and how to have it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from app.views.config import config_view, repeat_view
from app.views.empty import nothing_to_show
from app.views.pins import pin_button
from app.views.samples import samples_view, witnesses_view
from app.views.trial_choice import along_front, chosen_row, trial_chooser
from app.views.trial_curves import curves_view, history_view
from app.views.trial_heading import trial_heading
from app.views.trial_links import mlflow_view, promoted, promotion_button, promotion_hint
from app.views.trial_numbers import trial_numbers

if TYPE_CHECKING:
    from app.scene import Scene

__all__ = ["draw"]


def draw(scene: Scene) -> None:
    """Draw the page; O(trials) for the chooser, all else is one trial's."""
    front = along_front(scene)
    row = chosen_row(scene, front)
    if row is None:
        nothing_to_show("This sweep has no trials yet.")
        return
    trial = scene.columns.trials[row]
    trial_chooser(scene, front, row)
    mark = promoted(scene.uri, trial)
    trial_heading(scene, row, None if mark is None else mark.words())
    with st.container(horizontal=True, gap="small"):
        pin_button(scene, trial.id)
        promotion_button(scene, trial, mark)
    left, right = st.columns([1.25, 1], gap="large")
    with left:
        samples_view(scene, trial)
        witnesses_view(scene, trial)
    with right:
        trial_numbers(scene, trial)
        config_view(scene, trial)
    left, right = st.columns(2, gap="large")
    with left:
        curves_view(scene, trial)
    with right:
        history_view(scene, trial)
    repeat_view(scene, trial)
    mlflow_view(scene, trial)
    promotion_hint(scene, trial, mark)
