"""What is drawn: the reader's wishes as far as the sweep can meet them now, and the page's own choices for the rest.

A sweep that runs may meet later what it cannot meet now, so wishes stay as they are: only what is drawn gives way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.filters import Bound, Filter
from app.view import View
from explorer.figures import FrontView, colour_names, default_view, numeric_names
from explorer.results.table import TrialTable
from explorer.store.schema import At, budget_text

__all__ = ["Drawn", "drawn", "settled"]


@dataclass(frozen=True)
class Drawn:
    """What of the sweep is shown.

    Attributes:
        figure: columns, reading and switches of the figure, and the selected trial.
        filters: those that speak of something the sweep has.
        complaints: a sentence for every wish that is not met.
    """

    figure: FrontView
    filters: tuple[Filter, ...]
    complaints: tuple[str, ...]


def drawn(view: View, table: TrialTable) -> Drawn:
    """What a table can show of a view."""
    at, method, complaints = _reading(view, table)
    columns = {}
    axes, colours, usual = numeric_names(table, at), colour_names(table, at), default_view(table)
    for key, known in (("x", axes), ("y", axes), ("colour", colours)):
        asked: str | None = getattr(view, key)
        own: str = getattr(usual, key)
        own = own if own in known or not known else known[0]
        if asked is not None and asked not in known:
            complaints.append(f"there is no column '{asked}' at {table.words(at)}; showing '{own}' instead.")
        columns[key] = asked if asked is not None and asked in known else own
    trial = view.trial if view.trial in {t.id for t in table} else None
    if view.trial != trial:
        complaints.append(f"this sweep has no trial '{view.trial}'.")
    metrics = {*axes, *(goal.metric for goal in table.goals)}
    params = {path for t in table for path in t.params}
    known_filters = tuple(f for f in view.filters if f.name in (metrics if isinstance(f, Bound) else params))
    complaints += [
        f"this sweep has nothing to filter by '{f.name}'." for f in view.filters if f not in known_filters
    ]
    figure = FrontView(
        **columns, at=at, dominated=view.dominated, paths=view.paths, selected=trial, method=method
    )
    return Drawn(figure, known_filters, tuple(complaints))


def settled(view: View, table: TrialTable) -> View:
    """The view without the columns and the budget that its own refinement and budget do not have."""
    shown = drawn(view, table).figure
    kept = {
        key: getattr(view, key) for key in ("x", "y", "colour") if getattr(view, key) == getattr(shown, key)
    }
    return replace(view, **{"x": None, "y": None, "colour": None, **kept}, budget=shown.at.budget)


def _reading(view: View, table: TrialTable) -> tuple[At, str | None, list[str]]:
    """The reading asked for, its method, and what is wrong with it."""
    method, complaints = view.method, []
    if method is not None and method not in table.methods():
        read = ", ".join(table.methods()) or "no refinement"
        complaints.append(f"this sweep was not read through '{method}'; it has {read}.")
        method = None
    budget, budgets = view.budget, table.budgets(method)
    if budget not in budgets:
        choice = ", ".join(map(budget_text, budgets))
        complaints.append(f"this sweep was not read at K = {budget_text(budget)}; it has K = {choice}.")
        budget = budgets[0]
    return table.reading(budget, method), method, complaints
