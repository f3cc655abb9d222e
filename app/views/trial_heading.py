"""The head of a trial: its name, how it stands, why it ended as it did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app.style import chip
from app.views.pieces import show
from explorer.html import Markup, tag
from explorer.results.columns import Columns
from explorer.results.table import Trial
from explorer.store.schema import At

if TYPE_CHECKING:
    from app.scene import Scene

__all__ = ["dominators", "trial_heading"]


def trial_heading(scene: Scene, row: int, promoted: str | None) -> None:
    """Name, the hash in grey, chips; below them the reason, where it did not end as it should."""
    trial, name = scene.columns.trials[row], scene.columns.names[row]
    parts: list[object] = [] if name == trial.id else [name, " "]
    grey = tag("code", trial.id, style="opacity: 0.55; font-weight: 400;")
    chips = [_standing(scene, row)]
    chips += [chip("ended early")] if trial.status == "finished" and trial.stopped is not None else []
    chips += [chip(f"promoted: {promoted}", "good")] if promoted else []
    show(tag("p", *parts, grey, *chips, class_="tx-head"))
    if trial.why:
        show(tag("p", _heading_of_reason(trial), class_="tx-head"))
        st.code(trial.why, language=None, wrap_lines=True)


def dominators(columns: Columns, row: int, at: At) -> int | None:
    """How many finished trials dominate a trial at a reading; None where it is not ranked. O(N M)."""
    goals = columns.goals(at)
    own = goals[row]
    if not columns.finished[row] or not goals.shape[1] or not np.isfinite(own).all():
        return None
    others = goals[columns.finished]
    return int(((others <= own).all(axis=1) & (others < own).any(axis=1)).sum())


def _standing(scene: Scene, row: int) -> Markup:
    trial = scene.columns.trials[row]
    if trial.status != "finished":
        return chip(trial.status, {"failed": "bad", "running": "live"}.get(trial.status, ""))
    count = dominators(scene.columns, row, scene.at)
    if count is None:
        return chip(f"not ranked at {scene.words}")
    if count == 0:
        return chip("on the front", "good")
    return chip(f"dominated by {count:,}")


def _heading_of_reason(trial: Trial) -> str:
    if trial.status != "finished":
        return "Why it failed" if trial.status == "failed" else "What is known of its end"
    return "What was not read" if trial.stopped is None else "Why it ended early"
