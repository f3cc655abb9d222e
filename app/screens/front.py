"""The front: what the trade-off is, which configurations matter, and what to look at next."""

from __future__ import annotations

from typing import Any

import streamlit as st

from app import reading
from app.brush import Brush
from app.chart import chart
from app.controls import control
from app.finding import found_by, quick_picks
from app.header import headline
from app.scene import Scene
from app.style import markdown_safe
from app.thumbs import thumbs
from app.views.beside import beside
from app.views.empty import nothing_to_show
from app.views.listing import listing
from app.views.pins import parts_of
from app.views.several import several
from app.wishes import wish
from explorer.figures.front_chart import FrontWishes, front_chart
from explorer.figures.front_marks import READING, Marks, marks_of
from explorer.store.schema import At

__all__ = ["draw"]


def draw(scene: Scene) -> None:
    """Headline, figure, the trial beside it, and the table of what is shown."""
    marks = marks_of(scene.columns, scene.shown, scene.x, scene.y, _readings(scene), scene.view.seeds)
    top, ways = st.container(key="top"), st.container(key="ways")
    if not scene.kept.any():
        with top:
            headline(scene, marks)
        nothing_to_show("No trial passes the filters. Widen them in the sidebar.")
        return
    picks = quick_picks(marks)
    preferred = found_by(marks, scene.view.preference)
    chosen = _chosen(scene, marks, preferred, picks)
    left, right = st.columns([1.75, 1], gap="large")
    # The figure is sent first, and painted while the browser still waits for the rest.
    with left:
        _figure(scene, marks, picks, preferred, chosen)
    with top:
        headline(scene, marks)
    with ways:
        _ways(scene, marks, picks)
    with right:
        beside(scene, marks, chosen)
    with st.container(key="below"):
        listing(scene, marks)


def _readings(scene: Scene) -> tuple[At, ...]:
    """The reading shown, or all of them where points are told apart by it."""
    if READING in (scene.colour, scene.symbol, scene.panel):
        return scene.columns.readings
    return (scene.at,)


def _chosen(scene: Scene, marks: Marks, preferred: int | None, picks: dict[str, int]) -> str | None:
    """The trial shown beside the figure: the reader's own, else what suits the preference, else the knee."""
    if scene.selected is not None:
        return scene.selected
    index = preferred if preferred is not None else picks.get("Knee", next(iter(picks.values()), None))
    return None if index is None else scene.columns.ids[marks.row[index]]


def _ways(scene: Scene, marks: Marks, picks: dict[str, int]) -> None:
    """Quick ways to a point: by what it is best at, or by a preference from quality to diversity."""
    if not picks and scene.view.brush is None:
        return
    left, right = st.columns([1.75, 1], gap="large", vertical_alignment="bottom")
    with left.container(key="picks", horizontal=True):
        for word, index in picks.items():
            identity = scene.columns.ids[marks.row[index]]
            st.button(
                markdown_safe(word),
                key=f"pick {word}",
                on_click=_take,
                args=(scene.label, identity),
                type="primary" if identity == scene.selected else "secondary",
            )
        if scene.view.brush is not None:
            st.button(
                "Clear the brush",
                key="unbrush",
                icon=":material/close:",
                on_click=_brush(scene),
                args=(None,),
            )
    shown = 0.5 if scene.view.preference is None else scene.view.preference

    def prefer(value: float) -> None:
        wish(scene.label, preference=value, trial=None)

    right.slider(
        "From quality to diversity",
        0.0,
        1.0,
        shown,
        0.05,
        help="Points at the configuration of the front that suits your preference best.",
        **control(scene.label, "preference", shown, prefer),
    )


def _figure(
    scene: Scene, marks: Marks, picks: dict[str, int], preferred: int | None, chosen: str | None
) -> None:
    if scene.view.space != "plane":
        several(scene, marks)
        return
    named = {"Knee": picks["Knee"]} if "Knee" in picks else {}
    if preferred is not None:
        named["Your preference"] = preferred
    front = [int(row) for row in marks.row[marks.front]]
    wishes = FrontWishes(
        scene.x,
        scene.y,
        scene.colour,
        scene.at,
        path=tuple(at for at in scene.columns.readings if at.method in ("none", _method(scene))),
        size=scene.size,
        symbol=scene.symbol,
        panel=scene.panel,
        dominated=scene.view.dominated,
        paths=scene.view.paths,
        attained=scene.view.attained,
        iso=scene.view.iso,
        selected=chosen,
        named=named,
        beside=_others(scene),
        label=scene.label,
        brush=None if scene.view.brush is None else scene.view.brush.told(),
        thumbs=thumbs(scene.uri, scene.columns, front),
    )
    # The figure keeps all trials that pass the filters: a brush marks some of them and hides none.
    drawn = marks_of(scene.columns, scene.kept, scene.x, scene.y, marks.ats, marks.seeds)
    if drawn is not marks:
        wishes = FrontWishes(**{**vars(wishes), "named": {}})
    chart(front_chart(drawn, scene.kept, wishes), "front", on_pick=_pick(scene), on_brush=_brush(scene))


def _others(scene: Scene) -> dict[str, Marks]:
    """The sweeps that the reader wants to see beside this one, as far as they have its axes."""
    found = {}
    sweeps = reading.sweeps(scene.uri)
    for label in scene.view.beside:
        if label == scene.label or label not in sweeps:
            continue
        columns = reading.columns(scene.uri, label, sweeps[label]).columns
        at = scene.at if scene.at in columns.readings else columns.readings[0]
        if {scene.x, scene.y} <= {*columns.axis_names(at)} and columns.finished.any():
            found[label] = marks_of(columns, columns.finished, scene.x, scene.y, (at,), scene.view.seeds)
    return found


def _method(scene: Scene) -> str:
    return scene.columns.table.method(scene.method)


def _take(label: str, identity: str) -> None:
    wish(label, trial=identity)


def _pick(scene: Scene) -> Any:
    """A point of this sweep is selected; one of another leads to that sweep."""

    def take(key: str) -> None:
        own = key in scene.columns.row_of
        label, identity = ("", key) if own else parts_of(key, scene.view.beside)
        if label:
            st.session_state["instead"] = label
            st.session_state["sweep"] = label
            wish(label, trial=identity)
        else:
            wish(scene.label, trial=identity)

    return take


def _brush(scene: Scene) -> Any:
    def take(told: dict[str, Any] | None) -> None:
        wish(scene.label, brush=Brush.of(told))

    return take
