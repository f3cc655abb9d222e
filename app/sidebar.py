"""The sidebar: what to draw, and which trials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import streamlit as st

from app import reading
from app.controls import begin_at, control
from app.narrowing import narrowing
from app.scene import Scene, settled
from app.style import markdown_safe
from app.view import View
from app.wishes import put, wish, wished
from explorer.figures.front_looks import pseudo_title
from explorer.figures.front_marks import PSEUDO
from explorer.results.columns import Columns
from explorer.store.schema import budget_text

__all__ = ["sidebar"]

FIGURED: Final = ("front", "budget")
"""Pages whose axes the reader chooses."""
NARROWED: Final = ("front", "budget", "audit")
"""Pages that show the trials that pass the filters."""
READ: Final = (*NARROWED, "sweep")
"""Pages that show one reading."""
SPACES: Final = {"plane": "2-D", "space": "3-D", "parallel": "Parallel"}
NONE: Final = "–"
HIDDEN: Final = '[data-testid="stSidebar"], [data-testid="stExpandSidebarButton"] { display: none; }'
MOST_BESIDE: Final = 6
"""Other sweeps in one figure."""


def sidebar(page: str, scene: Scene) -> None:
    """Draw the controls: each shows the reader's wish, or what the page chose for lack of one."""
    if not len(scene.columns) or page not in READ or (page == "sweep" and len(scene.columns.readings) < 2):
        # One that the page before had would stay, and be empty.
        st.html(f"<style>{HIDDEN}</style>")
        return
    with st.sidebar:
        st.markdown("##### Figure")
        _reading(scene)
        if page in FIGURED:
            _axes(scene)
        if page == "front":
            _colour(scene)
            _front(scene)
        if page in NARROWED:
            st.markdown("##### Trials")
            narrowing(scene.columns, scene.view, scene.at)


def _reading(scene: Scene) -> None:
    """Refinement and budget; nothing where the sweep was read as it is alone."""
    label, columns, methods = scene.label, scene.columns, scene.columns.methods
    if len(methods) > 1:
        method = scene.method or methods[0]
        shown = control(label, "method", method, _settle(label, columns, "method"))
        hint = "; ".join(
            f"{name}: {told}" for name, told in columns.table.catalogue.methods.items() if name in methods
        )
        st.selectbox(
            "Refinement", methods, begin_at(methods, method), help=markdown_safe(hint, 600) or None, **shown
        )
    budgets = columns.budgets(scene.method)
    if len(budgets) > 1:
        st.select_slider(
            "Rejection budget K",
            budgets,
            value=scene.at.budget,
            format_func=budget_text,
            help="Every trial is read at each K: on average K samples are drawn for one that is kept.",
            **control(label, "budget", scene.at.budget, _settle(label, columns, "budget")),
        )


def _axes(scene: Scene) -> None:
    """Columns of the axes: what was measured depends on the reading."""
    axes = scene.columns.axis_names(scene.at)
    if not axes:
        return
    left, right = st.columns(2)
    _column(left, "Horizontal", axes, scene, "x", scene.x)
    _column(right, "Vertical", axes, scene, "y", scene.y)


def _colour(scene: Scene) -> None:
    """The column of the colour, which the front alone has."""
    if not scene.columns.axis_names(scene.at):
        return
    colours = [*scene.columns.colour_names(scene.at), *PSEUDO]
    _column(st, "Colour", colours, scene, "colour", scene.colour)


def _front(scene: Scene) -> None:
    """How the front is drawn."""
    label, view, columns = scene.label, scene.view, scene.columns
    several = len(columns.first_rows) < len(columns)
    if several:
        st.toggle(
            "Single seeds",
            view.seeds,
            help="A point per trial, instead of each configuration's mean and its 95 % interval over seeds.",
            **control(label, "seeds", view.seeds),
        )
    st.toggle("Dominated", view.dominated, **control(label, "dominated", view.dominated))
    flat = view.space == "plane"
    if several and flat:
        st.toggle(
            "Attainment bands",
            view.attained,
            help="What a quarter, a half and three quarters of the seeds reach.",
            **control(label, "attained", view.attained),
        )
    if len(columns.readings) > 1 and flat:
        st.toggle("Paths as K grows", view.paths, **control(label, "paths", view.paths))
    if {scene.x, scene.y} == {"precision", "recall"} and flat:
        st.toggle("Lines of equal F", view.iso, **control(label, "iso", view.iso))
    with st.expander(
        "More", expanded=any((view.size, view.symbol, view.panel, view.beside, view.space != "plane"))
    ):
        st.segmented_control(
            "Objectives",
            list(SPACES),
            default=view.space,
            format_func=SPACES.__getitem__,
            required=True,
            **control(label, "space", view.space),
        )
        axes = columns.axis_names(scene.at)
        if view.space == "space":
            usual = next(
                (n for n in (scene.colour, *axes) if n in axes and n not in (scene.x, scene.y)), axes[0]
            )
            _column(st, "Depth", axes, scene, "z", view.z if view.z in axes else usual)
        colours = [*columns.colour_names(scene.at), *PSEUDO]
        for title, names, key in (
            ("Size", axes, "size"),
            ("Symbol", colours, "symbol"),
            ("Panels", colours, "panel"),
        ):
            _optional(title, names, scene, key)
        _beside(scene)


def _beside(scene: Scene) -> None:
    """Other sweeps of the place, to be shown in the same figure."""
    others = [label for label in reading.sweeps(scene.uri) if label != scene.label]
    if not others:
        return
    start = [label for label in scene.view.beside if label in others]

    def take(chosen: list[str]) -> None:
        wish(scene.label, beside=tuple(chosen))

    st.multiselect(
        "Other sweeps",
        others,
        start,
        max_selections=MOST_BESIDE,
        placeholder="None",
        help="Their configurations are drawn in the same figure, coloured by sweep.",
        **control(scene.label, "beside", start, take),
    )


def _column(place: Any, title: str, names: Sequence[str], scene: Scene, key: str, shown: str) -> None:
    """A selectbox for a column of the table. Another axis lets the brush go, drawn in the old plane."""

    def take(chosen: str) -> None:
        changes: dict[str, Any] = {key: chosen}
        wish(scene.label, **changes, **({"brush": None} if key in ("x", "y") else {}))

    kept = control(scene.label, key, shown, take)
    place.selectbox(
        title, names, begin_at(names, shown), format_func=lambda n: pseudo_title(scene.columns, n), **kept
    )


def _optional(title: str, names: Sequence[str], scene: Scene, key: str) -> None:
    """A selectbox for a column that need not be chosen."""
    shown: str = getattr(scene, key) or NONE
    options = [NONE, *names]

    def take(chosen: str) -> None:
        changes: dict[str, Any] = {key: None if chosen == NONE else chosen}
        wish(scene.label, **changes)

    kept = control(scene.label, key, shown, take)
    st.selectbox(
        title,
        options,
        begin_at(options, shown),
        format_func=lambda name: "none" if name == NONE else pseudo_title(scene.columns, name),
        **kept,
    )


def _settle(label: str, columns: Columns, field: str) -> Callable[[Any], None]:
    """Another reading is chosen: what it does not have gives way."""

    def take(value: Any) -> None:
        changes: dict[str, Any] = {field: value}
        view: View = replace(wished(label), **changes)
        put(settled(view, columns))

    return take
