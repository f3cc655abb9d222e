"""How far a sweep is: numbers, the hypervolume over time, and a replay of the front."""

from __future__ import annotations

import math
import time

import numpy as np
import streamlit as st

from app.chart import chart
from app.controls import control
from app.scene import Scene
from app.style import card, cards
from app.views.pieces import show
from app.views.sweep_file import document
from app.ways import picker
from app.wishes import wish
from explorer.figures.progress_chart import growth_chart, replay_chart, time_unit
from explorer.html import Markup, tag
from explorer.pareto.corner import corner_of
from explorer.pareto.progress import Progress
from explorer.results.naming import number
from explorer.results.progress import SweepProgress, planned_of, progress_of
from explorer.words import counted

__all__ = ["growth_view", "numbers_view"]


def numbers_view(scene: Scene) -> SweepProgress:
    """Counts by status, pace, expected end, and what training took."""
    planned = planned_of(document(scene.uri, scene.info.name, scene.info.experiment_id))
    now = int(1000 * time.time()) if scene.running else None
    found = progress_of(scene.columns, planned, now)
    items = [_done(scene, found), _statuses(found), *_pace(scene, found), *_seconds(found)]
    show(cards(items))
    if scene.running and found.planned is not None and found.left is not None:
        total = found.ended + found.left
        told = f"{found.ended:,} of {counted(total, 'trial')} ended"
        st.progress(min(1.0, found.ended / max(1, total)), told)
    return found


def growth_view(scene: Scene, found: SweepProgress) -> None:
    """The hypervolume as trials finished, and the front after the first so many of them."""
    columns = scene.columns
    moments = np.where(columns.finished, found.moments, np.nan)
    progress = columns.kept(
        ("progress", scene.at), lambda: Progress.of(moments, columns.goals(scene.at), corner_of(columns))
    )
    if len(progress) < 2:
        told = "The hypervolume over time appears here once two trials have finished."
        show(tag("p", told, class_="tx-hint"))
        return
    left, right = st.columns([2, 1], gap="large", vertical_alignment="bottom")
    reached = len(progress) if scene.view.replay is None else min(scene.view.replay, len(progress))

    def replay(chosen: int) -> None:
        # At its right end the slider goes on with the sweep.
        wish(scene.label, replay=None if chosen == len(progress) else chosen)

    left.slider(
        "Replay: the front after the first … trials that finished",
        1,
        len(progress),
        reached,
        **control(scene.label, "replay", reached, replay),
    )
    by_time = scene.view.times
    word = "time" if by_time else "trials"
    right.segmented_control(
        "Along",
        ["trials", "time"],
        default=word,
        required=True,
        **control(scene.label, "times", word, lambda chosen: wish(scene.label, times=chosen == "time")),
    )
    left, right = st.columns([1.2, 1], gap="large")
    with left:
        chart(growth_chart(progress, reached, by_time), "growth")
    with right:
        spec = replay_chart(columns, progress, reached, scene.x, scene.y, scene.at)
        chart(spec, "replay", on_pick=picker(scene.label))


def _done(scene: Scene, found: SweepProgress) -> Markup:
    if found.planned is None:
        return card("Ended", f"{found.ended:,}", f"of {counted(len(scene.columns), 'trial')} begun")
    most = "at most " if found.planned.at_most else ""
    total = max(found.planned.trials, len(scene.columns))
    return card("Ended", f"{found.ended:,}", f"of {most}{total:,} planned")


def _statuses(found: SweepProgress) -> Markup:
    told = ", ".join(f"{count:,} {status}" for status, count in found.counts.items())
    return card("Trials", f"{sum(found.counts.values()):,}", told or "none has begun")


def _pace(scene: Scene, found: SweepProgress) -> list[Markup]:
    items = []
    if math.isfinite(found.rate):
        note = "trials a minute, of late" if scene.running else "trials a minute, at the end"
        items.append(card("Pace", number(found.rate), note))
    if scene.running and math.isfinite(found.remaining_s) and found.left:
        items.append(card("Left", _span(found.remaining_s), "at this pace"))
    elif found.busy > 0:
        items.append(card("Took", _span(found.busy), "while trials were under way"))
    return items


def _seconds(found: SweepProgress) -> list[Markup]:
    """Training and GPU seconds, in all and per trial."""
    items = []
    for title, seconds in (("Training", found.train_seconds), ("GPU", found.gpu_seconds)):
        known = seconds[np.isfinite(seconds)]
        if len(known) and known.sum() > 0:
            each = f"{number(float(known.mean()))} s a trial, at most {number(float(known.max()))}"
            items.append(card(f"{title} seconds", number(float(known.sum()), 4), each))
    return items


def _span(seconds: float) -> str:
    size, word = time_unit(seconds)
    told = number(seconds / size, 2)
    return f"{told} {word.removesuffix('s') if told == '1' else word}"
