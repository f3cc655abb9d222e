"""The charts of the λ audit: what λ asks for and gets, models at their own λ, tangents, ceilings."""

from __future__ import annotations

import streamlit as st

from app import saving
from app.chart import chart
from app.scene import Scene
from app.style import markdown_safe
from app.ways import go, picker
from explorer.figures.ceiling_chart import ceiling_chart
from explorer.figures.lambda_chart import lambda_chart
from explorer.figures.own_lambda_chart import own_lambda_chart
from explorer.figures.tangent_chart import tangent_chart
from explorer.html import Markup, tag
from explorer.results.audit import LambdaAudit, LambdaGroup
from explorer.results.ceiling import Ceilings, ceiling_sentences, ceilings_of
from explorer.results.columns import Columns
from explorer.results.naming import cut, number

__all__ = ["ceiling_view", "lambda_view", "own_lambda_view", "tangent_view"]

NEAREST = 8
"""Trials that are listed as the nearest to their ceilings."""


def lambda_view(scene: Scene, audit: LambdaAudit) -> None:
    """λ against precision and recall; a click chooses a trial, and a button leads to it."""
    key = "λ chart", scene.at, scene.kept.tobytes(), scene.selected
    spec = scene.columns.remembered(key, lambda: lambda_chart(scene.columns, audit, scene.selected))
    chart(spec, key="audit lambda", on_pick=picker(scene.label))
    if scene.selected is not None:
        name = scene.columns.names[scene.columns.row_of[scene.selected]]
        st.button(
            f"Open {markdown_safe(name)}",
            icon=":material/science:",
            key="audit open",
            on_click=go,
            args=("trial",),
        )


def own_lambda_view(scene: Scene, audit: LambdaAudit) -> None:
    """α_λ at every λ of models trained at every λ; a sentence where no curve is known."""
    found = own_lambda_chart(audit, f"{scene.columns.table.sweep}-own-lambda")
    if found is None:
        _hint("No trial tells its PR curve at every λ, so models cannot be compared at their own λ.")
    else:
        chart(found, key="audit own")


def tangent_view(scene: Scene, audit: LambdaAudit) -> None:
    """PR curves with the tangent of each λ, for one setting that the reader chooses."""
    groups = [group for group in audit.defined if group.unread < len(group.ids)]
    if not groups:
        return
    own = next((group for group in groups if scene.selected in group.ids), groups[0])
    if len(groups) > 1:
        own = _chosen(groups, own)
    found = tangent_chart(scene.columns, own)
    if found is not None:
        chart(found, key="audit tangents")


def ceiling_view(scene: Scene) -> None:
    """Where the Lipschitz ceiling lies, what it means, and which trials are nearest to it."""
    found = ceilings_of(scene.columns, scene.kept)
    if not len(found):
        _hint(
            "No Lipschitz ceiling is known here: it follows from a certified constant of the generator "
            "(generator_constraint), which none of these trials has. The critic's constant bounds no PR curve."
        )
        return
    chart(
        ceiling_chart(scene.columns, found, scene.selected),
        key="audit ceiling",
        on_pick=picker(scene.label),
    )
    content = tag(
        "div",
        *(tag("p", f"{line}.", class_="tx-lead") for line in ceiling_sentences(found)),
        _nearest(scene.columns, found),
    )
    saving.keep(content)
    st.html(content)


def _chosen(groups: list[LambdaGroup], own: LambdaGroup) -> LambdaGroup:
    """The setting that the reader chooses, at first that of the selected trial."""
    place: int = st.selectbox(
        "Setting",
        range(len(groups)),
        groups.index(own),
        format_func=lambda i: cut(groups[i].name, 80),
        key=f"audit setting of {len(groups)}",
        help="Whose curves are drawn with their tangents.",
    )
    return groups[place]


def _nearest(columns: Columns, found: Ceilings) -> Markup:
    places = found.nearest(NEAREST)
    if not len(places):
        return tag("p", "")
    head = tag(
        "tr",
        *(
            tag("th", word)
            for word in ("Nearest to its ceiling", "L of G", "λ", "ceiling", "reached", "below")
        ),
    )
    rows = [
        tag(
            "tr",
            tag("td", cut(columns.names[found.rows[i]], 80)),
            *(
                tag("td", number(float(values[i])))
                for values in (found.lipschitz, found.lam, found.ceiling, found.reached, found.gap)
            ),
        )
        for i in places
    ]
    return tag("table", tag("thead", head), tag("tbody", *rows), class_="tx-table")


def _hint(sentence: str) -> None:
    st.html(tag("p", sentence, class_="tx-hint"))
