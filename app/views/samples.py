"""What a trial makes: its samples over the data, kept and refused, and why precision or recall is low."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from app import reading
from app.chart import chart
from app.views.pieces import hint, show, show_picture
from explorer.figures import Samples
from explorer.figures.samples_chart import samples_chart
from explorer.html import tag
from explorer.results.points import Points
from explorer.results.table import Trial, TrialTable
from explorer.results.witnesses import Witnesses
from explorer.store.schema import (
    PICTURE_FILE,
    PLAIN,
    SAMPLES_FILE,
    WITNESSES_FILE,
    WITNESSES_PICTURE,
    At,
    budget_text,
)

if TYPE_CHECKING:
    from app.scene import Scene

__all__ = ["NO_SAMPLES", "samples_note", "samples_view", "witnesses_view"]

NO_SAMPLES = "No samples were stored for this trial that can be shown."
KEPT, REFUSED, BOTH = "Kept", "Refused", "Both"


def samples_view(scene: Scene, trial: Trial) -> None:
    """Samples at the reading shown, or at another that the reader looks at; of images, the picture of them all."""
    samples = Samples.from_artifact(reading.artifact(scene.uri, trial.run_id, SAMPLES_FILE))
    if samples is None:
        _picture(scene.uri, trial)
        return
    table = scene.columns.table
    at = _chosen_reading(scene, trial, samples)
    refused = samples.refused.get(at, np.empty((0, samples.dimension)))
    shown = _chosen_kind(trial, at) if len(refused) else KEPT
    found = Witnesses.from_artifact(reading.artifact(scene.uri, trial.run_id, WITNESSES_FILE))
    marks = _marks(found, samples.dimension) if at == PLAIN else (None, None)
    chart(
        samples_chart(
            samples.real,
            samples.at(at) if shown != REFUSED else np.empty((0, samples.dimension)),
            refused if shown != KEPT else None,
            *marks,
            subtitle=samples_note(table, samples, at, len(refused)),
            file=f"samples-{trial.id}",
        ),
        key="samples",
    )
    if at.budget > 1 and not len(refused):
        hint("Which samples were refused was not stored for this trial.")


def samples_note(table: TrialTable, samples: Samples, at: At, refused: int = 0) -> str:
    """How many samples a chart shows, and how they were come by."""
    more = f", {refused:,} refused" if refused else ""
    return f"{len(samples.at(at)):,} samples at {table.words(at)}{more}"


def witnesses_view(scene: Scene, trial: Trial) -> None:
    """Two sentences on what lies outside and what was missed, and the pictures of both where samples are images."""
    found = Witnesses.from_artifact(reading.artifact(scene.uri, trial.run_id, WITNESSES_FILE))
    show(tag("p", "Why precision or recall is low", class_="tx-head"))
    if found is None:
        words = (
            "Its worst samples and the real ones that it misses were not stored; trials of this version keep them, "
            "and a finished trial gets them when its sweep is run again with another evaluation."
        )
        hint(words if trial.status == "finished" else "Known once it has finished.")
        return
    outside, missed = found.sentences()
    show(tag("p", outside), tag("p", missed), tag("p", found.measured(), class_="tx-lead"))
    image = reading.picture(scene.uri, trial.run_id, WITNESSES_PICTURE)
    if image is not None:
        show_picture(image, "Above, its worst samples; below, real samples that it misses")


def _picture(uri: str, trial: Trial) -> None:
    image = reading.picture(uri, trial.run_id, PICTURE_FILE)
    if image is None:
        hint(NO_SAMPLES)
        return
    show_picture(image, "Samples, a panel per reading")


def _chosen_reading(scene: Scene, trial: Trial, samples: Samples) -> At:
    """The reading shown on all pages, if the trial has samples there, until the reader looks at another."""
    readings = {at.budget: at for at in samples.available(scene.columns.table.method(scene.method))}
    at = scene.at if scene.at in readings.values() else PLAIN
    if len(readings) < 2:
        return at
    chosen = st.segmented_control(
        "Rejection budget K",
        list(readings),
        default=at.budget,
        format_func=lambda k: f"K = {budget_text(k)}",
        key=f"{scene.label}|samples {at.text()} {list(readings)}",
        label_visibility="collapsed",
    )
    return at if chosen is None else readings[chosen]


def _chosen_kind(trial: Trial, at: At) -> str:
    chosen = st.segmented_control(
        "Samples",
        [KEPT, REFUSED, BOTH],
        default=BOTH,
        key=f"kinds {trial.id} {at.text()}",
        label_visibility="collapsed",
    )
    return chosen or BOTH


def _marks(found: Witnesses | None, dimension: int) -> tuple[Points | None, Points | None]:
    """What is marked in the chart: they belong to the model as it is."""
    if found is None:
        return None, None
    return found.outside.drawn(dimension), found.missed.drawn(dimension)
