"""The page of pinned trials: two to six of them, of any sweeps of the store, beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from app.view import MOST_PINS
from app.views.compare_charts import curves_overlaid, histories_overlaid, samples_beside
from app.views.compare_table import differences_view, metrics_view
from app.views.compare_trials import adding, few_pins, found_pins, pin_cards
from app.views.pieces import hint
from app.wishes import pins

if TYPE_CHECKING:
    from app.scene import Scene

__all__ = ["draw"]


def draw(scene: Scene) -> None:
    """Draw the page; what it costs grows with the trials pinned, not with those of their sweeps."""
    pinned, gone = found_pins(scene)
    if len(pins()) > MOST_PINS:
        told = f"{len(pins())} trials are pinned; the first {MOST_PINS} are compared."
        hint(told)
    pin_cards(pinned, gone)
    if len(pinned) < 2:
        few_pins(scene, len(pinned))
        adding(scene)
        return
    adding(scene)
    metrics_view(pinned, scene.at)
    differences_view(pinned)
    left, right = st.columns([1, 1.3], gap="large")
    with left:
        curves_overlaid(scene, pinned)
    with right:
        histories_overlaid(scene, pinned)
    samples_beside(scene, pinned, scene.at)
