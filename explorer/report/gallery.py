"""Samples and precision-recall curves of a few trials along the front."""

from __future__ import annotations

import math
from collections.abc import Sequence

from explorer.figures import Samples, evenly, pr_curve_figure, read_curve, samples_figure
from explorer.html import Markup, Page, is_picture, picture_tag, tag
from explorer.pareto import Ranking
from explorer.results.naming import Naming, number
from explorer.results.store import ResultStore
from explorer.results.table import Trial, TrialTable
from explorer.sources import Source
from explorer.store.schema import CURVE_FILE, PICTURE_FILE, PLAIN, SAMPLES_FILE, At

__all__ = ["along", "gallery", "samples_card"]

GALLERY = 6
"""Trials of the front whose samples and curves are shown."""


def along(trials: Sequence[Trial], n: int, metric: str = "recall", at: At = PLAIN) -> Sequence[Trial]:
    """At most n trials spread evenly over the order of a metric, both ends among them."""
    return evenly(sorted(trials, key=lambda t: t.at(at).get(metric, math.nan)), n)


def gallery(page: Page, store: ResultStore | Source, table: TrialTable, ranking: Ranking) -> list[Markup]:
    """Samples at the ranking's reading, then the curves of the models as they are; nothing where none is stored."""
    chosen = along([t for t in table if t.id in ranking.front], GALLERY, at=ranking.at)
    naming = Naming.of([trial.params for trial in chosen])
    names = {trial.id: naming.name(trial.params) or trial.id for trial in chosen}
    pictures = [
        picture
        for trial in chosen
        if (picture := samples_card(page, store, table, trial, names[trial.id], ranking.at)) is not None
    ]
    parts: list[Markup] = []
    if pictures:
        order = "From the sharpest to the most diverse: r" if "recall" in table.metric_names() else "R"
        images = any("<img" in picture for picture in pictures)
        told = "eal images, then the model's" if images else "eal points grey, the model's blue"
        lead = f"{order}{told}."
        parts += [tag("h2", "Samples along the front"), tag("p", lead, class_="muted")]
        parts.append(tag("div", *pictures, class_="gallery"))
    stored = {names[t.id]: store.artifact_json(t.run_id, CURVE_FILE) for t in chosen}
    curves = {name: raw for name, raw in stored.items() if read_curve(raw)}
    if curves:
        figure = pr_curve_figure(curves, "Each model's whole trade-off").update_layout(height=460)
        parts += [tag("h2", "Their precision-recall curves"), page.figure(figure)]
    return parts


def samples_card(
    page: Page, store: ResultStore | Source, table: TrialTable, trial: Trial, name: str, at: At
) -> Markup | None:
    """The samples of one trial with its goals; the model as it is where it has no samples of the reading.

    Of images there is a picture, which has all readings.
    """
    samples = Samples.from_artifact(store.artifact_json(trial.run_id, SAMPLES_FILE))
    read = trial.at(at)
    note = " · ".join(
        f"{table.title(g.metric)} {number(read[g.metric])}" for g in table.goals if g.metric in read
    )
    if samples is None:
        return _picture(store, trial, name, note)
    shown = at if len(samples.at(at)) else PLAIN
    figure = samples_figure(samples, shown, title=name, note=note)
    return page.figure(figure.update_layout(height=340, showlegend=False))


def _picture(store: ResultStore | Source, trial: Trial, name: str, note: str) -> Markup | None:
    """The picture of a trial's images, if it is one."""
    content = store.artifact_bytes(trial.run_id, PICTURE_FILE)
    if content is None or not is_picture(content):
        return None
    caption = tag("figcaption", tag("b", name), tag("span", note))
    return tag("figure", caption, picture_tag(content, f"samples of {name}"))
