"""Why trials failed, and which were ended early: by reason, with examples to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from app.scene import Scene
from app.style import markdown_safe
from app.views.pieces import show
from app.ways import picker
from explorer.html import tag
from explorer.results.naming import cut
from explorer.results.table import Trial
from explorer.words import counted

__all__ = ["failures_view"]

MOST_REASONS = 12
EXAMPLES = 3


def failures_view(scene: Scene) -> None:
    """A block per reason of failure, then per reason of an early end; a sentence where there are none of either."""
    table = scene.columns.table
    failures, stops = table.failures(), table.stops()
    if not failures and not stops:
        show(tag("p", "No trial failed and none was ended early.", class_="tx-hint"))
        return
    if failures:
        _reasons(scene, "Failures", "failed", failures)
    if stops:
        _reasons(scene, "Ended early", "ended", stops)


def _reasons(scene: Scene, title: str, verb: str, found: Mapping[str, Sequence[Trial]]) -> None:
    count = sum(map(len, found.values()))
    lead = f"{counted(count, 'trial')} {verb}, for {counted(len(found), 'reason')}."
    show(tag("div", tag("h2", title, class_="tx-head"), tag("p", lead, class_="tx-lead")))
    for place, (reason, trials) in enumerate(list(found.items())[:MOST_REASONS]):
        left, right = st.columns([1.4, 1], gap="medium", vertical_alignment="center")
        with left:
            told = _full(reason, trials) if verb == "ended" else reason
            show(tag("p", tag("b", f"{len(trials)} × "), cut(told, 400)))
        with right.container(horizontal=True, gap="small"):
            for trial in trials[:EXAMPLES]:
                name = scene.columns.names[scene.columns.row_of[trial.id]]
                st.button(
                    markdown_safe(name, 40),
                    key=f"{scene.label}|{verb} {place} {trial.id}",
                    help=markdown_safe(trial.id),
                    on_click=picker(scene.label, "trial"),
                    args=(trial.id,),
                )
    if len(found) > MOST_REASONS:
        st.caption(f"and {counted(len(found) - MOST_REASONS, 'other reason')}")


def _full(kind: str, trials: Sequence[Trial]) -> str:
    """Why trials were ended: in full where they share that, else what they have in common."""
    reasons = {trial.stopped.reason for trial in trials if trial.stopped is not None}
    return reasons.pop() if len(reasons) == 1 else kind
