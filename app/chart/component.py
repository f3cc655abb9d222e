"""The chart as a component of Streamlit's: what it is told, and what its reader tells back."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import streamlit as st

from app import saving
from app.chart.packing import packed
from app.chart.sources import module
from explorer.figures.chart import Chart, Line

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

__all__ = ["brush_of", "chart", "picked_key"]

NAME = "tradeoff_chart"
VERTICES = 200
LARGEST = 1e300


def chart(
    spec: Chart,
    key: str,
    on_pick: Callable[[str], None] | None = None,
    on_brush: Callable[[dict[str, Any] | None], None] | None = None,
) -> None:
    """Draw a chart, and keep it for who saves the page.

    ``on_pick`` is called with the key of the point or line that was chosen, one of the chart's own; ``on_brush`` with
    the places chosen, ``{"kind": "box", "x": [low, high], "y": [low, high]}`` or ``{"kind": "lasso", "points":
    [[x, y], …]}`` in the data's units, and with None when they are let go. O(N) for a chart of N points.
    """
    saving.keep(spec, key)

    def picked() -> None:
        choice = picked_key(spec, st.session_state[key].get("picked"))
        if on_pick is not None and choice is not None:
            on_pick(choice)

    def brushed() -> None:
        told = st.session_state[key].get("brushed")
        brush = brush_of(told)
        if on_brush is not None and (brush is not None or told is None):
            on_brush(brush)

    _component()(
        key=key, data=packed(spec, key), on_picked_change=picked, on_brushed_change=brushed, width="stretch"
    )


def picked_key(spec: Chart, told: object) -> str | None:
    """The key that a browser told, if the chart has it; browsers may tell anything. O(N)."""
    if not isinstance(told, str):
        return None
    layers = (*spec.layers, *(layer for panel in spec.panels for layer in panel.layers))
    lines = (layer.key for layer in layers if isinstance(layer, Line))
    return told if told and (told in spec.keys or told in lines) else None


def brush_of(told: object) -> dict[str, Any] | None:
    """The places that a browser told, or None where they are none: finite numbers in the shapes promised."""
    if not isinstance(told, dict):
        return None
    if told.get("kind") == "box":
        x, y = _numbers(told.get("x"), 2), _numbers(told.get("y"), 2)
        return {"kind": "box", "x": sorted(x), "y": sorted(y)} if x and y else None
    points = told.get("points")
    if told.get("kind") != "lasso" or not isinstance(points, list) or not 3 <= len(points) <= VERTICES:
        return None
    places = [_numbers(point, 2) for point in points]
    return {"kind": "lasso", "points": places} if all(places) else None


def _numbers(told: object, length: int) -> list[float]:
    """That many finite numbers, or nothing."""
    if not isinstance(told, (list, tuple)) or len(told) != length:
        return []
    if not all(type(item) in (int, float) and -LARGEST < item < LARGEST for item in told):
        return []
    return [float(item) for item in told]


@cache
def _component() -> ComponentRenderer:
    """The component, registered when the first chart is drawn."""
    return st.components.v2.component(NAME, js=module())
