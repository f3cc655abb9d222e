"""What a page draws: a sweep, the reader's wishes as far as it can meet them now, and the page's choices for the rest.

A sweep that runs may meet later what it cannot meet now, so wishes stay as they are: only what is drawn gives way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.brush import Brush
from app.filters import Bound, Filter, matching
from app.view import View
from explorer.figures.front_marks import PSEUDO, READING
from explorer.figures.scales import usual_axes
from explorer.pareto.cloud import Cloud
from explorer.pareto.equal_cost import COSTS
from explorer.results.columns import Columns, Mask
from explorer.results.store import SweepInfo
from explorer.store.schema import At, budget_text

__all__ = ["Scene", "scene_of", "settled"]


@dataclass(frozen=True, eq=False)
class Scene:
    """A sweep as the reader wants to see it.

    Attributes:
        uri: address of the store or source.
        label: the sweep's label, under which the reader's wishes are kept.
        info: the sweep in the list of sweeps.
        columns: all of its trials, under the objectives chosen.
        view: the reader's wishes.
        at: the reading that is shown.
        method: the refinement wished for, if there is one.
        x, y, colour: columns shown.
        size, symbol, panel: columns that decide size, shape and panel of points; None of those not wished for.
        kept: (N,) trials that pass statuses and filters; bounds are about means unless single seeds are shown.
        shown: (N,) those of them whose points are inside the brush; all of them where nothing is brushed.
        running: whether more may come.
        selected: identity of the trial that the reader chose.
        complaints: a sentence for every wish that is not met.
    """

    uri: str
    label: str
    info: SweepInfo
    columns: Columns
    view: View
    at: At
    method: str | None
    x: str
    y: str
    colour: str
    size: str | None
    symbol: str | None
    panel: str | None
    kept: NDArray[np.bool_]
    shown: NDArray[np.bool_]
    running: bool
    selected: str | None
    complaints: tuple[str, ...]

    @property
    def words(self) -> str:
        """The reading shown, for people: ``K = 2``."""
        return self.columns.reading_words(self.at)


def scene_of(uri: str, label: str, info: SweepInfo, columns: Columns, view: View, running: bool) -> Scene:
    """What of a sweep is drawn of the reader's wishes; O(trials) a filter."""
    columns = columns.under(view.goals)
    at, method, complaints = _reading(view, columns)
    axes, colours = columns.axis_names(at), [*columns.colour_names(at), *PSEUDO]
    names: dict[str, str] = {}
    for key, known, own in zip(["x", "y", "colour"], (axes, axes, colours), usual_axes(columns), strict=True):
        asked: str | None = getattr(view, key)
        own = own if own in known or not known else known[0]
        if asked is not None and asked not in known:
            complaints.append(
                f"there is no column '{asked}' at {columns.reading_words(at)}; showing '{own}' instead."
            )
        names[key] = asked if asked is not None and asked in known else own
    offered = {"size": axes, "symbol": colours, "panel": colours}
    more: dict[str, Any] = {
        key: getattr(view, key) if getattr(view, key) in known else None for key, known in offered.items()
    }
    complaints += [
        f"there is no column '{getattr(view, key)}' for the {key}."
        for key in more
        if getattr(view, key) != more[key]
    ]
    if view.z is not None and view.z not in axes:
        complaints.append(f"there is no column '{view.z}' for the depth.")
    if view.along is not None and view.along not in [goal.metric for goal in columns.table.goals]:
        complaints.append(f"'{view.along}' is no objective along which a gap could be filled.")
    if view.cost is not None and view.cost not in COSTS:
        complaints.append(f"a cost must be one of {', '.join(COSTS)}, got '{view.cost}'.")
    selected = view.trial if view.trial in columns.row_of else None
    if view.trial != selected:
        complaints.append(f"this sweep has no trial '{view.trial}'.")
    filters, unmet = _filters(view, columns, axes)
    complaints += _unmeasured(columns, at)
    bounds = [f for f in filters if isinstance(f, Bound)]
    kept = np.isin(columns.statuses, sorted(view.statuses))
    kept &= matching(columns, [f for f in filters if not isinstance(f, Bound)], at)
    kept = _bounded(columns, kept, bounds, at, view.seeds)
    shown = kept
    met = all(getattr(view, key) in (None, names[key]) for key in ("x", "y"))
    if view.brush is not None and not met:
        complaints.append("the brush was drawn in another plane, and holds nothing back here.")
    elif view.brush is not None:
        told_apart = READING in (names["colour"], more["symbol"], more["panel"])
        ats = columns.readings if told_apart else (at,)
        shown = _brushed(columns, kept, view.brush, (names["x"], names["y"]), ats, view.seeds)
    return Scene(
        uri,
        label,
        info,
        columns,
        view,
        at=at,
        method=method,
        **names,
        **more,
        kept=kept,
        shown=shown,
        running=running,
        selected=selected,
        complaints=(*complaints, *unmet),
    )


def _bounded(columns: Columns, kept: Mask, bounds: Sequence[Bound], at: At, seeds: bool) -> Mask:
    """Which of some trials keep bounds: single seeds by themselves, configurations as the mean of those kept.

    Seeds that were chosen by what came out of them, one by one, would make every mean look better than it is.
    """
    if seeds or not bounds:
        return kept & matching(columns, bounds, at)
    passed = kept
    for bound in bounds:
        cloud = Cloud.of(columns, kept, (bound.metric,), at)
        good = cloud.configurations[bound.holds(columns, cloud.mean[:, 0])]
        passed = passed & np.isin(columns.configurations, good)
    return passed


def _brushed(
    columns: Columns, kept: Mask, brush: Brush, axes: tuple[str, str], ats: Sequence[At], seeds: bool
) -> Mask:
    """The trials of the points inside the brush, as they are drawn at these readings: of a mean all that it is of."""
    inside = np.zeros_like(kept)
    for at in ats:
        if seeds:
            inside |= kept & brush.holds(*(columns.numbers(name, at) for name in axes))
        else:
            cloud = Cloud.of(columns, kept, axes, at)
            chosen = cloud.configurations[brush.holds(*cloud.mean.T)]
            inside |= kept & np.isin(columns.configurations, chosen)
    return inside


def _unmeasured(columns: Columns, at: At) -> list[str]:
    """A sentence where an objective was measured of nobody, so that nobody is on a front."""
    if not columns.finished.any():
        return []
    goals = [goal.metric for goal in columns.table.goals]
    lost = [name for name in goals if not np.isfinite(columns.metric(name, at)[columns.finished]).any()]
    return [
        f"no trial has the objective '{name}' at {columns.reading_words(at)}, so that none is on a front; "
        "choose others on the Data page."
        for name in lost
    ]


def settled(view: View, columns: Columns) -> View:
    """The view without the columns and the budget that its own refinement and budget do not have."""
    at, _, _ = _reading(view, columns)
    axes = columns.axis_names(at)
    colours = [*columns.colour_names(at), *PSEUDO]
    known = {"x": axes, "y": axes, "size": axes, "colour": colours, "symbol": colours, "panel": colours}
    kept: dict[str, Any] = {
        key: getattr(view, key) if getattr(view, key) in names else None for key, names in known.items()
    }
    # A brush belongs to its plane.
    brush = view.brush if (kept["x"], kept["y"]) == (view.x, view.y) else None
    return replace(view, **kept, budget=at.budget, brush=brush)


def _reading(view: View, columns: Columns) -> tuple[At, str | None, list[str]]:
    """The reading asked for, its method, and what is wrong with it."""
    method, complaints = view.method, []
    if method is not None and method not in columns.methods:
        read = ", ".join(columns.methods) or "no refinement"
        complaints.append(f"this sweep was not read through '{method}'; it has {read}.")
        method = None
    budget, budgets = view.budget, columns.budgets(method)
    if budget not in budgets:
        choice = ", ".join(map(budget_text, budgets))
        complaints.append(f"this sweep was not read at K = {budget_text(budget)}; it has K = {choice}.")
        budget = budgets[0]
    return columns.table.reading(budget, method), method, complaints


def _filters(view: View, columns: Columns, axes: list[str]) -> tuple[tuple[Filter, ...], list[str]]:
    """The filters that speak of something the sweep has, and a sentence for each other."""
    metrics = {*axes, *(goal.metric for goal in columns.table.goals)}
    known = tuple(
        f for f in view.filters if (f.name in metrics if isinstance(f, Bound) else f.name in columns.paths)
    )
    return known, [f"this sweep has nothing to filter by '{f.name}'." for f in view.filters if f not in known]
