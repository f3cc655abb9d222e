"""Charts of the budget: every configuration as a curve in K, one metric against K, one refinement beside another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from explorer.figures.chart import Axis, Card, CardRow, Chart, Layer, Line, Panel, Paths, Points
from explorer.figures.scales import axis_of
from explorer.figures.staircase import staircase
from explorer.pareto.dominance import front_mask
from explorer.results.budget_curves import BudgetCurves
from explorer.results.columns import Columns
from explorer.store.schema import PLAIN, At, budget_text
from explorer.words import counted

__all__ = ["Drawn", "budget_chart", "drawn_of", "methods_chart", "metric_chart"]

Numbers = NDArray[np.float64]
Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]

MOST_CURVES = 60
"""Configurations that all have a curve; of more, those of the fronts and the selected one have."""
MOST_PREDICTED = 12
"""Predicted curves, which lie close to the measured ones."""
STEPS = 25
"""Budgets at which a predicted curve is computed."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """What of some configurations is drawn.

    Attributes:
        curves: the configurations.
        at: the reading shown.
        front: (C,) those on the front of the objectives there, by their means.
        chosen: (c,) those that have a curve.
        predicted: (p,) those whose predicted curve is drawn.
        selected: the one of the selected trial, if it takes part.
    """

    curves: BudgetCurves
    at: At
    front: Mask
    chosen: Codes
    predicted: Codes
    selected: int | None

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """A configuration is picked as the trial that stands for it."""
        ids = self.curves.columns.ids
        return tuple(ids[row] for row in self.curves.first.tolist())

    @property
    def words(self) -> str:
        """The reading shown, for people."""
        return self.at.words(with_method=len(self.curves.columns.methods) > 1)


def drawn_of(columns: Columns, rows: Mask, method: str, at: At, selected: str | None = None) -> Drawn:
    """What is drawn of the finished trials among ``rows`` (N,). O(N log N) for up to three objectives."""
    curves = BudgetCurves.of(columns, rows, method)
    front = front_mask(curves.goals(at))
    row = columns.row_of.get(selected) if selected is not None else None
    own = curves.holding(row)
    chosen = np.arange(len(curves))
    if len(curves) > MOST_CURVES:
        some = front | front_mask(curves.goals(PLAIN))
        chosen = np.flatnonzero(some)[: MOST_CURVES - 1]
        chosen = chosen if own is None else np.union1d(chosen, [own])
    predicted = np.flatnonzero(front)[:MOST_PREDICTED] if own is None else np.array([own])
    return Drawn(curves, at, front, chosen.astype(np.int64), predicted.astype(np.int64), own)


def budget_chart(drawn: Drawn, x: str, y: str) -> Chart:
    """The plane of two metrics: a curve in K per configuration, points at the K shown, dashed what theory predicts.

    Axes span all K, so that a point moves and the frame does not. A curve goes through the means over seeds at every
    K. O(C k) for C configurations at k budgets.
    """
    curves, columns = drawn.curves, drawn.curves.columns
    xs, ys = curves.values(x), curves.values(y)
    shown = _place(curves, drawn.at)
    faint = np.setdiff1d(np.arange(len(curves)), drawn.chosen)
    layers: list[Layer] = _fronts(drawn, x, y)
    if len(faint):
        here = xs[faint, shown], ys[faint, shown]
        layers.append(Points(*here, faint, colour="muted", radius=3.0, opacity=0.35, name="others"))
    layers += _lines(drawn, xs, ys)
    layers += _predicted_lines(
        drawn, lambda budgets: (_predict(drawn, x, budgets), _predict(drawn, y, budgets))
    )
    behind = drawn.chosen[~drawn.front[drawn.chosen]]
    ahead = drawn.chosen[drawn.front[drawn.chosen]]
    for chosen, colour, radius, name in ((behind, "muted", 4.5, ""), (ahead, "accent", 6.5, "on the front")):
        if len(chosen):
            layers.append(Points(xs[chosen, shown], ys[chosen, shown], chosen, colour, radius, name=name))
    layers.append(Paths(xs, ys, np.arange(len(curves))))
    title = columns.table.title_in_text
    return Chart(
        axis_of(columns, x),
        axis_of(columns, y),
        layers,
        title="Every configuration as a curve in K",
        subtitle=_subtitle(drawn),
        keys=drawn.keys,
        card=_card(drawn, (x, y)),
        selected=_selected(drawn),
        alt=f"{title(y)} against {title(x)} of {counted(len(curves), 'configuration')} as the budget K grows.",
        height=520,
        file=f"{columns.table.sweep}-budget",
    )


def metric_chart(drawn: Drawn, name: str) -> Chart:
    """One metric against K, a line per configuration that is drawn; dashed what theory predicts. O(C k).

    The axis spans the means at all K, and what is predicted of them: single seeds lie much further apart.
    """
    curves, columns = drawn.curves, drawn.curves.columns
    values, budgets = curves.values(name), np.array(curves.budgets)
    predicted = _predicted_lines(
        drawn, lambda at: (np.broadcast_to(at, (len(drawn.predicted), len(at))), _predict(drawn, name, at))
    )
    axis = axis_of(columns, name, _ends([values, *(line.y for line in predicted)]))
    layers: list[Layer] = [
        Line(
            np.full(2, drawn.at.budget), np.array([axis.low, axis.high]), "muted", 1.0, "dot", name="K shown"
        )
    ]
    layers += _lines(drawn, np.broadcast_to(budgets, values.shape), values)
    layers += predicted
    shown = _place(curves, drawn.at)
    here = np.full(len(drawn.chosen), drawn.at.budget), values[drawn.chosen, shown]
    layers.append(Points(*here, drawn.chosen, "accent", 4.5))
    words = [budget_text(budget) for budget in curves.budgets]
    low, high = budgets[0] / 1.06, budgets[-1] * 1.06
    return Chart(
        Axis("Budget K", low, high, log=True, ticks=tuple(curves.budgets), labels=words),
        axis,
        layers,
        title=f"{axis.title} as K grows",
        subtitle=_subtitle(drawn),
        keys=drawn.keys,
        card=_card(drawn, (name,)),
        selected=_selected(drawn),
        alt=f"{axis.title} against the budget K.",
        height=380,
        file=f"{columns.table.sweep}-budget-{name}",
    )


def methods_chart(columns: Columns, rows: Mask, x: str, y: str, selected: str | None = None) -> Chart:
    """A panel per refinement in the same frame: its front at every K over that of the model as it is.

    Points are configurations at the largest K, by means over seeds. O(R N) for R readings.
    """
    horizontal, vertical = axis_of(columns, x), axis_of(columns, y)
    every = drawn_of(columns, rows, next(iter(columns.methods), PLAIN.method), PLAIN, selected)
    plain = _stairs(every.curves, x, y, PLAIN, (horizontal, vertical))
    panels = []
    for method in columns.methods:
        curves = BudgetCurves.of(columns, rows, method)
        layers: list[Layer] = []
        last = curves.reading(curves.budgets[-1])
        points = curves.at(x, last), curves.at(y, last)
        layers.append(Points(*points, np.arange(len(curves)), "muted", 3.5, opacity=0.6))
        grown = [budget for budget in curves.budgets if budget > 1]
        for place, budget in enumerate(grown):
            line = _stairs(curves, x, y, curves.reading(budget), (horizontal, vertical))
            if line is not None:
                strength = 0.35 + 0.65 * (place + 1) / len(grown)
                name = f"K = {budget_text(budget)}"
                layers.append(Line(*line, "accent", 1.8, opacity=strength, name=name))
        panels.append(Panel(method, layers))
    shared: list[Layer] = [Line(*plain, "muted", 1.4, "dash", name="K = 1")] if plain is not None else []
    return Chart(
        horizontal,
        vertical,
        shared,
        title="Every refinement beside the others",
        subtitle="lines: the front at each K, stronger as K grows; dashed: the model as it is; points: the largest K",
        panels=panels,
        keys=every.keys,
        card=_card(every, (x, y)),
        selected=_selected(every),
        alt=f"The fronts of {counted(len(panels), 'refinement')} in the same frame.",
        height=420,
        file=f"{columns.table.sweep}-refinements",
    )


def _place(curves: BudgetCurves, at: At) -> int:
    """Which of the budgets is shown: that of the reading, or the nearest below."""
    return int(np.searchsorted(curves.budgets, at.budget, side="right")) - 1


def _selected(drawn: Drawn) -> tuple[str, ...]:
    return () if drawn.selected is None else (drawn.keys[drawn.selected],)


def _subtitle(drawn: Drawn) -> str:
    curves = drawn.curves
    told = [f"points at {drawn.words}"]
    if len(drawn.chosen) < len(curves):
        told.append(f"curves of {len(drawn.chosen)} of {len(curves)}, any other when it is pointed at")
    if curves.seeds().size and curves.seeds().max() > 1:
        told.append("means over seeds")
    return " · ".join(told)


def _card(drawn: Drawn, names: Iterable[str]) -> Card:
    curves, columns = drawn.curves, drawn.curves.columns
    codes = columns.configurations[curves.first]
    seeds = curves.seeds()
    rows = []
    for name in names:
        here, before = curves.at(name, drawn.at), curves.at(name, PLAIN)
        title = columns.table.title(name)
        rows.append(CardRow(f"{title} at {drawn.words}", here))
        if drawn.at != PLAIN:
            rows.append(CardRow("since K = 1", here - before))
        if curves.predicts(name) and drawn.at != PLAIN and len(drawn.predicted):
            apart = np.full(len(curves), np.nan)
            expected = curves.predicted(name, drawn.predicted, (drawn.at.budget,))[:, 0]
            apart[drawn.predicted] = here[drawn.predicted] - expected
            rows.append(CardRow("measured − predicted", apart))
    rows.append(CardRow("seeds", seeds.astype(np.float64)))
    return Card([columns.configuration_names[code] for code in codes], drawn.keys, rows)


def _lines(drawn: Drawn, xs: Numbers, ys: Numbers) -> list[Layer]:
    keys = drawn.keys
    found: list[Layer] = []
    for c in drawn.chosen:
        own = int(c) == drawn.selected
        colour = "contrast" if own else "accent" if drawn.front[c] else "muted"
        opacity = 1.0 if own else 0.75 if drawn.front[c] else 0.35
        known = np.isfinite(xs[c]) & np.isfinite(ys[c])
        if known.sum() > 1:
            width = 2.2 if own else 1.3
            found.append(
                Line(xs[c][known], ys[c][known], colour, width, opacity=opacity, key=keys[c], markers=own)
            )
    return found


def _ends(values: Sequence[Numbers]) -> tuple[float, float] | None:
    """Least and greatest of some numbers; None where there is none."""
    known = np.concatenate([some[np.isfinite(some)] for some in values])
    return (float(known.min()), float(known.max())) if len(known) else None


def _predicted_lines(drawn: Drawn, places: Callable[[Numbers], tuple[Numbers, Numbers]]) -> list[Line]:
    """Dashed lines over a fine grid of budgets, the first of them with a name for the legend."""
    curves = drawn.curves
    if not len(drawn.predicted) or curves.budgets[-1] == 1:
        return []
    budgets = np.geomspace(1.0, curves.budgets[-1], STEPS)
    xs, ys = places(budgets)
    found: list[Line] = []
    for x, y in zip(xs, ys, strict=True):
        if np.isfinite(x).all() and np.isfinite(y).all():
            name = "predicted, exact ratio" if not found else ""
            found.append(Line(x, y, "contrast", 1.3, "dash", opacity=0.8, name=name))
    return found


def _predict(drawn: Drawn, name: str, budgets: Sequence[float] | Numbers) -> Numbers:
    return drawn.curves.predicted(name, drawn.predicted, [float(budget) for budget in budgets])


def _fronts(drawn: Drawn, x: str, y: str) -> list[Layer]:
    """What is reached in this plane at K = 1, dotted, and at the K shown."""
    axes = axis_of(drawn.curves.columns, x), axis_of(drawn.curves.columns, y)
    found: list[Layer] = []
    for at in dict.fromkeys((PLAIN, drawn.at)):
        line = _stairs(drawn.curves, x, y, at, axes)
        if line is not None:
            name = f"reached at K = {budget_text(at.budget)}"
            here = at == drawn.at
            found.append(
                Line(*line, "accent" if here else "muted", 1.2, "solid" if here else "dot", 0.6, name)
            )
    return found


def _stairs(
    curves: BudgetCurves, x: str, y: str, at: At, axes: tuple[Axis, Axis]
) -> tuple[Numbers, Numbers] | None:
    """The boundary of what configurations reach in a plane, as x and y; None where no direction is better."""
    horizontal, vertical = axes
    if horizontal.direction is None or vertical.direction is None:
        return None
    places = np.stack([curves.at(x, at), curves.at(y, at)], axis=1)
    signs = np.array([1.0 if axis.direction == "min" else -1.0 for axis in axes])
    points = [(float(u), float(v)) for u, v in places[front_mask(signs * places)]]
    worst = (_bad_end(horizontal), _bad_end(vertical))
    line = np.array(staircase(points, horizontal.direction, vertical.direction, worst))
    return (line[:, 0], line[:, 1]) if len(line) else None


def _bad_end(axis: Axis) -> float:
    return axis.low if axis.direction == "max" else axis.high
