"""Pinned trials drawn over and beside each other: PR curves, training, samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from app import reading
from app.chart import chart
from app.style import markdown_safe
from app.views.compare_trials import Pinned
from app.views.pieces import hint, show, show_picture
from app.views.samples import NO_SAMPLES, samples_note
from app.views.trial_curves import trial_curves
from explorer.figures import Samples
from explorer.figures.curve_chart import pr_curves_chart
from explorer.figures.history_chart import histories_chart
from explorer.figures.samples_chart import samples_chart
from explorer.html import tag
from explorer.results.estimates import PRCurve
from explorer.store.schema import PICTURE_FILE, PLAIN, SAMPLES_FILE, At

if TYPE_CHECKING:
    from app.scene import Scene

__all__ = ["curves_overlaid", "histories_overlaid", "samples_beside"]

IN_A_ROW = 3
MOST_PANELS = 3
"""Metrics over training, the goals first."""


def curves_overlaid(scene: Scene, pinned: Sequence[Pinned]) -> None:
    """The PR curves of all, by one estimator that all have if there is one."""
    curves = {one.name: trial_curves(scene.uri, one.trial) for one in pinned}
    drawn = {name: found for name, found in curves.items() if found}
    if not drawn:
        hint("No PR curve was stored for these trials that can be drawn.")
        return
    common = [name for name in next(iter(drawn.values())) if all(name in found for found in drawn.values())]
    by = _estimator(common, next(iter(drawn.values())))
    shown = {name: found[by] if by in found else next(iter(found.values())) for name, found in drawn.items()}
    chart(pr_curves_chart(shown, "Precision against recall"), key="curves")
    if by not in common:
        told = "These curves were drawn by different estimators, so small differences tell nothing."
        hint(told)
    if lacking := [name for name in curves if name not in drawn]:
        hint(f"Without a curve: {', '.join(lacking)}.")


def histories_overlaid(scene: Scene, pinned: Sequence[Pinned]) -> None:
    """The goals of all over training, a panel per metric."""
    goals = [goal.metric for one in pinned for goal in one.columns.table.goals]
    metrics = list(dict.fromkeys(goals))[:MOST_PANELS]
    rows = {
        one.name: {
            metric: reading.history(scene.uri, one.trial.run_id, metric)
            for metric in metrics
            if metric in one.trial.metrics
        }
        for one in pinned
    }
    made = histories_chart(rows, metrics, pinned[0].columns.table.title)
    if made is None:
        hint("These trials were evaluated once, so they have no history.")
        return
    chart(made, key="histories")


def samples_beside(scene: Scene, pinned: Sequence[Pinned], at: At) -> None:
    """The samples of each at the reading shown, or its picture."""
    show(tag("p", "Samples", class_="tx-head"))
    for start in range(0, len(pinned), IN_A_ROW):
        row = pinned[start : start + IN_A_ROW]
        width = min(IN_A_ROW, len(pinned))
        for column, one in zip(st.columns(width, gap="medium"), row, strict=False):
            with column:
                _samples(scene, one, at)


def _samples(scene: Scene, one: Pinned, at: At) -> None:
    samples = Samples.from_artifact(reading.artifact(scene.uri, one.trial.run_id, SAMPLES_FILE))
    if samples is not None:
        own = one.reading(at)
        own = own if own in samples.readings else PLAIN
        note = samples_note(one.columns.table, samples, own)
        chart(
            samples_chart(
                samples.real, samples.at(own), title=one.name, subtitle=note, file=f"samples-{one.trial.id}"
            ),
            key=f"samples {one.pin}",
        )
        return
    image = reading.picture(scene.uri, one.trial.run_id, PICTURE_FILE)
    if image is None:
        show(tag("p", one.name, class_="tx-head"))
        hint(NO_SAMPLES)
    else:
        show_picture(image, one.name)


def _estimator(common: Sequence[str], first: dict[str, PRCurve]) -> str:
    """The estimator shown: the reader's choice where several are common to all."""
    if len(common) < 2:
        return common[0] if common else next(iter(first))
    chosen = st.segmented_control(
        "Estimator",
        list(common),
        default=common[0],
        format_func=lambda name: markdown_safe(first[name].title),
        key="estimator",
    )
    return chosen or common[0]
