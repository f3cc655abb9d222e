"""What lies around the points of a front: its staircase, what seeds attain, lines of equal F, paths as K grows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from explorer.figures.chart import Area, Axis, Layer, Line, Paths, Points, Text
from explorer.figures.front_marks import Marks
from explorer.figures.staircase import staircase
from explorer.pareto.attainment import attainment
from explorer.pareto.choice import iso_f
from explorer.pareto.dominance import front_mask
from explorer.results.columns import Codes, Columns, Mask, Numbers
from explorer.store.schema import At

__all__ = ["attained_layers", "best_layer", "equal_f_layers", "label_layer", "path_lines", "paths_layer"]

LEVELS = (0.25, 0.5, 0.75)
F_LEVELS = (0.2, 0.4, 0.6, 0.8, 0.9)
MOST_PATHS = 60
"""Lines as K grows that are drawn at once; all others when they are pointed at."""


def best_layer(marks: Marks, x: Axis, y: Axis) -> list[Layer]:
    """The staircase that bounds what is reached in the two axes shown, where both have a better side."""
    if x.direction is None or y.direction is None or not len(marks):
        return []
    signs = np.array([-1.0 if axis.direction == "max" else 1.0 for axis in (x, y)])
    best = marks.place[front_mask(marks.place * signs)]
    line = staircase([(u, v) for u, v in best.tolist()], x.direction, y.direction, (_worst(x), _worst(y)))
    steps = np.array(line, dtype=np.float64).reshape(-1, 2)
    return [
        Line(steps[:, 0], steps[:, 1], colour="text", width=1.4, opacity=0.55, name="Front in this plane")
    ]


def attained_layers(
    columns: Columns, rows: Mask, names: tuple[str, str], axes: tuple[Axis, Axis], at: At
) -> list[Layer]:
    """What a quarter, a half and three quarters of the seeds reach; nothing for fewer than two seeds.

    The seeds are those of the sweep: each has a front of its own in the plane.
    """
    x, y = axes
    place = np.stack([columns.numbers(names[0], at), columns.numbers(names[1], at)], axis=1)
    rows = rows & columns.finished & np.isfinite(place).all(axis=1) & (columns.seeds >= 0)
    if x.direction is None or y.direction is None or len(np.unique(columns.seeds[rows])) < 2:
        return []
    signs = np.array([-1.0 if axis.direction == "max" else 1.0 for axis in axes])
    corner = np.array([_worst(x), _worst(y)]) * signs
    lines = attainment(place[rows] * signs, columns.seeds[rows], LEVELS, corner)
    easy, half, hard = (np.asarray(line, dtype=np.float64).reshape(-1, 2) * signs for line in lines)
    found: list[Layer] = []
    if len(easy) and len(hard):
        ring = np.concatenate([easy, hard[::-1]])
        found.append(
            Area(ring[:, 0], ring[:, 1], colour="accent", opacity=0.14, name="25 % to 75 % of seeds")
        )
    if len(half):
        found.append(
            Line(half[:, 0], half[:, 1], "accent", width=1.6, dash="dash", name="Reached by half the seeds")
        )
    return found


def equal_f_layers(names: tuple[str, str]) -> list[Layer]:
    """Lines on which F₁ of precision and recall is the same; nothing for other axes."""
    if {*names} != {"precision", "recall"}:
        return []
    found: list[Layer] = []
    for level in F_LEVELS:
        recall, precision = iso_f(level)
        x, y = (recall, precision) if names[0] == "recall" else (precision, recall)
        found.append(Line(x, y, colour="muted", width=1.0, dash="dot", opacity=0.7))
        found.append(Text(x[-1:], y[-1:], [f"F {level:g}"], anchor="end"))
    return found


def paths_layer(marks: Marks, names: tuple[str, str], keys: Codes, ats: Sequence[At]) -> list[Layer]:
    """Where each point goes as K grows; drawn for what is pointed at or selected."""
    x, y = _paths(marks, names, ats)
    # Half the bytes: nobody reads a number off a path.
    return [Paths(x.astype(np.float32), y.astype(np.float32), keys)] if x.shape[1] > 1 else []


def path_lines(marks: Marks, names: tuple[str, str], ats: Sequence[At]) -> list[Layer]:
    """The paths of the front's points, all at once, at most ``MOST_PATHS``."""
    x, y = _paths(marks, names, ats)
    chosen = np.flatnonzero(marks.front)[:MOST_PATHS]
    if x.shape[1] < 2 or not len(chosen):
        return []
    gap = np.full((len(chosen), 1), np.nan)
    return [
        Line(
            np.hstack([x[chosen], gap]).ravel(),
            np.hstack([y[chosen], gap]).ravel(),
            colour="muted",
            width=1.2,
            opacity=0.8,
            markers=True,
            name="As K grows",
        )
    ]


def label_layer(marks: Marks, index: int, word: str, colour: str) -> list[Layer]:
    """A ring around one point, with a word in the legend."""
    x, y = marks.place[index : index + 1].T
    hollow = np.ones(1, dtype=np.bool_)
    return [Points(x, y, colour=colour, radius=11.0, hollow=hollow, name=word)]


def _paths(marks: Marks, names: tuple[str, str], ats: Sequence[At]) -> tuple[Numbers, Numbers]:
    """(n, k) places of the points at every reading; k = 0 where a column is no metric, since it does not move."""
    columns = marks.columns
    moving = [at for at in ats if all(name in columns.metric_names(at) for name in names)]
    x, y = (
        np.stack([marks.at(name, at) for at in moving], axis=1) if moving else np.empty((len(marks), 0))
        for name in names
    )
    return x, y


def _worst(axis: Axis) -> float:
    return axis.low if axis.direction == "max" else axis.high
