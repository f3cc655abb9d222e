"""Beside the front: the selected trial in short, and the ways to more of it."""

from __future__ import annotations

import numpy as np
import streamlit as st

from app import reading
from app.scene import Scene
from app.style import chip
from app.view import MOST_PINS
from app.views.pieces import show
from app.ways import go
from app.wishes import pin, pins, wish
from explorer.figures.columns import score
from explorer.figures.front_marks import Marks
from explorer.html import Markup, tag
from explorer.results.fields import sentence_in
from explorer.results.inertness import WAYS, ways_of
from explorer.store.schema import PICTURE_FILE, At, budget_text

__all__ = ["beside"]


def beside(scene: Scene, marks: Marks, trial: str | None) -> None:
    """What is selected, its numbers at every K, its samples: the configuration with its interval, or the single trial.

    Where points are configurations, the trial that stands for one is named below it: no lucky seed comes first.
    """
    if trial is None:
        st.html(tag("p", "Click a point to see its trial.", class_="tx-hint"))
        return
    columns = scene.columns
    row = columns.row_of[trial]
    show(_head(scene, marks, row))
    show(_numbers(scene, marks, row))
    picture = reading.picture(scene.uri, columns.trials[row].run_id, PICTURE_FILE)
    if picture is not None:
        whose = (
            "" if marks.seeds or columns.trials[row].seed is None else f" of seed {columns.trials[row].seed}"
        )
        st.image(picture, caption=f"Real and generated samples{whose}, a panel per reading")
    name = f"{scene.label}/{trial}"
    with st.container(horizontal=True):
        st.button(
            "Open the trial", key="open trial", type="primary", on_click=_open, args=(scene.label, trial)
        )
        is_full = name not in pins() and len(pins()) >= MOST_PINS
        st.button(
            "Unpin" if name in pins() else "Pin to compare",
            key="pin",
            icon=":material/keep:",
            on_click=pin,
            args=(name,),
            disabled=is_full,
            help=f"At most {MOST_PINS} trials are compared; take a pin away first." if is_full else None,
        )


def _open(label: str, trial: str) -> None:
    wish(label, trial=trial)
    go("trial")


def _head(scene: Scene, marks: Marks, row: int) -> Markup:
    columns = scene.columns
    chips = []
    here = np.flatnonzero(marks.configuration == columns.configurations[row])
    if len(here):
        rank, chance = int(marks.rank[here[0]]), float(marks.chance[here[0]])
        chips.append(
            chip("on the front", "good") if rank == 0 else chip(f"rank {rank}" if rank > 0 else "not ranked")
        )
        if np.isfinite(chance):
            chips.append(chip(f"P(front) {chance:.0%}"))
    way = WAYS[int(ways_of(columns)[row])]
    if way is not None:
        chips.append(chip(f"λ {way}", "bad"))
    status = str(columns.statuses[row])
    if status != "finished":
        chips.append(chip(status, "bad" if status == "failed" else ""))
    seeds = int((columns.configurations == columns.configurations[row]).sum())
    told = f"{columns.ids[row]} · {seeds} seed{'s' if seeds > 1 else ''} of this configuration"
    name = columns.names[row]
    if not marks.seeds and seeds > 1:
        name = columns.configuration_names[columns.configurations[row]]
        seed = columns.trials[row].seed
        told = f"mean of {seeds} seeds · {f'seed {seed} is ' if seed is not None else ''}{columns.ids[row]}"
    return tag(
        "div",
        tag("h2", name, class_="tx-head"),
        tag("p", told, class_="tx-hash"),
        tag("p", *chips, class_="tx-chips") if chips else "",
    )


def _numbers(scene: Scene, marks: Marks, row: int) -> Markup:
    """A line per budget of the method shown: means and, small, half of their intervals; of a single seed, its own
    numbers, and small what its configuration has.
    """
    columns, table = scene.columns, scene.columns.table
    metrics = table.headline_metrics(4, scene.at)
    method = table.method(scene.method)
    same = columns.finished & (columns.configurations == columns.configurations[row])
    several = int(same.sum()) > 1
    head = tag(
        "tr",
        tag("th", "K", title="Rejection budget: samples drawn for one that is kept"),
        *(tag("th", table.title(name), title=sentence_in(columns, name)) for name in metrics),
    )
    lines = []
    for at in columns.trials[row].path(method):
        cells = [tag("td", budget_text(at.budget))]
        for name in metrics:
            own = score(float(columns.metric(name, at)[row]))
            mean = _mean(columns.metric(name, at)[same]) if several else ""
            if marks.seeds or not mean:
                cells.append(tag("td", own, tag("small", mean) if mean else ""))
            else:
                middle, _, half = mean.partition(" ± ")
                cells.append(tag("td", middle, tag("small", f"± {half}"), title=f"this seed: {own}"))
        lines.append(tag("tr", *cells, class_="on" if _is(at, scene.at) else ""))
    interval = "mean ± 95 % interval over seeds"
    told = f"In grey: {interval}." if marks.seeds else f"{interval.capitalize()}."
    note = tag("p", told, class_="tx-hash") if several else ""
    return tag("div", tag("table", head, *lines, class_="tx-table"), note, class_="tx-wide")


def _is(at: At, other: At) -> bool:
    return at == other or at.budget == other.budget == 1


def _mean(values: np.ndarray) -> str:
    """``0.812 ± 0.010`` of the finite values; nothing for fewer than two."""
    from scipy.special import stdtrit

    finite = values[np.isfinite(values)]
    if len(finite) < 2:
        return ""
    half = float(stdtrit(len(finite) - 1, 0.975)) * float(finite.std(ddof=1)) / len(finite) ** 0.5
    return (
        f"{finite.mean():.3f} ± {half:.3f}"
        if abs(finite.mean()) < 100
        else f"{finite.mean():.1f} ± {half:.1f}"
    )
