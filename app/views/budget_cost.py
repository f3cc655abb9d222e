"""The front at equal cost: what a sweep reaches when every sample may cost the same."""

from __future__ import annotations

import math

import streamlit as st

from app.chart import chart
from app.controls import control
from app.scene import Scene
from app.style import markdown_safe
from app.views.pieces import show
from app.views.tables import html_table
from app.ways import picker
from app.wishes import wish
from explorer.figures.cost_chart import cost_chart
from explorer.html import Markup, tag
from explorer.pareto.equal_cost import COSTS, affordable, cost_of
from explorer.results.naming import number

__all__ = ["cost_view"]

LIMITS = 8
"""Limits that the table compares."""
MOST_BESIDE = 3
"""Refinements whose table has room beside the chart."""


def cost_view(scene: Scene) -> None:
    """A slider of the cost of a sample, the front within it, and the hypervolume of every method at several limits."""
    columns = scene.columns
    show(
        tag(
            "div",
            tag("h2", "The front at equal cost", class_="tx-head"),
            tag(
                "p",
                "K = 4 draws four samples for one that is kept, so fronts at different K are no equals. Here every "
                "trial may be read in any way that costs no more than the limit: calls of the generator, of the critic "
                "and of gradients together, or those of one kind.",
                class_="tx-lead",
            ),
        )
    )
    offered = {kind: limits for kind in COSTS if len(limits := _limits(scene, kind)) > 1}
    if not offered:
        show(tag("p", "All readings of this sweep cost the same.", class_="tx-hint"))
        return
    titles = {kind: "Calls of all kinds" if kind == "calls" else columns.table.title(kind) for kind in COSTS}
    left, right = st.columns([1, 2], gap="large", vertical_alignment="bottom")
    kinds = list(offered)
    kind = scene.view.cost if scene.view.cost in kinds else kinds[0]

    def count(chosen: str) -> None:
        wish(scene.label, cost=chosen, limit=None)

    left.selectbox(
        "Cost",
        kinds,
        kinds.index(kind),
        format_func=lambda kind: titles[kind],
        **control(scene.label, "cost", kind, count),
    )
    limits = offered[kind]
    wanted = limits[-1] if scene.view.limit is None else scene.view.limit
    limit = max((one for one in limits if one <= wanted), default=limits[0])
    right.select_slider(
        f"At most, {markdown_safe(titles[kind].lower())}",
        limits,
        limit,
        format_func=number,
        **control(scene.label, "limit", limit),
    )
    front = affordable(columns, scene.shown, limit, kind)
    plain = affordable(columns, scene.shown, limits[0], kind, methods=())
    wide = len(columns.methods) > MOST_BESIDE
    chosen, beside = (st.container(), st.container()) if wide else st.columns([1.5, 1], gap="large")
    with chosen:
        spec = cost_chart(columns, front, plain, scene.x, scene.y)
        chart(spec, "equal cost", on_pick=picker(scene.label))
    with beside:
        show(_table(scene, kind, limits, limit, plain.volume))


def _limits(scene: Scene, kind: str) -> list[float]:
    """What the readings cost, on average, each once; the model as it is first."""
    found = set()
    for at in scene.columns.readings:
        cost = cost_of(scene.columns, at, kind)[scene.columns.finished]
        known = cost[cost == cost]
        if len(known):
            found.add(float(f"{known.mean():.2g}"))
    return sorted(found)


def _table(scene: Scene, kind: str, limits: list[float], shown: float, base: float) -> Markup:
    """Hypervolume of each method at growing limits, and by how much it exceeds that of the models as they are."""
    methods = list(scene.columns.methods)
    ways = [[method] for method in methods] + ([methods] if len(methods) > 1 else [])
    heads = ["At most", *(way[0] if len(way) == 1 else "any of them" for way in ways)]
    rows = []
    for limit in limits[:LIMITS]:
        volumes = [affordable(scene.columns, scene.shown, limit, kind, way).volume for way in ways]
        rows.append([number(limit), *(_told(volume, base) for volume in volumes)])
    on = [i for i, limit in enumerate(limits[:LIMITS]) if limit == shown]
    note = "Hypervolume of the front within the limit, and how much more than the models reach as they are."
    return tag("div", html_table(heads, rows, on), tag("p", note, class_="tx-hint"))


def _told(volume: float, base: float) -> str:
    if not math.isfinite(volume):
        return "–"
    more = f" ({volume / base - 1:+.1%})" if base > 0 and volume != base else ""
    return f"{volume:.4g}{more}"
