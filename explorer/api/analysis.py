"""What the trials of a sweep are worth: front, λ audit, figure, report."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.api.arguments import file_path, flag, text_or_none
from explorer.api.reading import Results, reading_at
from explorer.errors import UserError, brief, shown

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from explorer.pareto import Front
    from explorer.results.audit import LambdaAudit
    from explorer.results.table import TrialTable

__all__ = ["audit", "figure", "front", "report"]


def front(
    found: Results,
    objectives: Mapping[str, str] | None = None,
    budget: float = 1,
    method: str | None = None,
) -> Front:
    """The non-dominated trials, by falling recall, with ranks of all trials and the hypervolume.

    ``objectives`` are metrics, each ``max`` or ``min``, by default those of the sweep. ``budget`` is the K at which
    trials are read, and ``method`` the refinement, by default the first there is. Cost: at most O(N² log N).

    >>> best = te.front(found, budget=2)
    >>> len(best) <= len(found) and 0 <= best.hypervolume <= 1
    True
    >>> best.to_pandas()["rank"].tolist() == [0] * len(best)
    True
    """
    from explorer.pareto import Front

    _check_results(found)
    at = reading_at(found, budget, method)
    return Front(found.table if objectives is None else _with_goals(found.table, objectives), at)


def _check_results(found: object) -> None:
    if not isinstance(found, Results):
        raise UserError(f"the results of a sweep must be what te.results returns, got {shown(found)}")


def _with_goals(table: TrialTable, objectives: Mapping[str, str]) -> TrialTable:
    """The same trials under other objectives."""
    from explorer.goals import parse_goals

    if not isinstance(objectives, Mapping) or not all(isinstance(name, str) for name in objectives):
        raise UserError(f"objectives must be a mapping such as {{'fid': 'min'}}, got {shown(objectives)}")
    try:
        goals = parse_goals(objectives)
    except ValueError as error:
        raise UserError(str(error)) from error
    _check_names([goal.metric for goal in goals], table.metric_names(), "an objective")
    return replace(table, goals=goals)


def _check_names(names: Sequence[str], known: Sequence[str], what: str) -> None:
    from trainables.nearest import nearest

    for name in names:
        if name not in known:
            raise UserError(
                f"{what} must be something the sweep measured, got '{brief(name)}'{nearest(name, known)}"
            )


def audit(found: Results, budget: float = 1, method: str | None = None) -> LambdaAudit:
    """Does λ move precision up and recall down? Rank correlations per group of trials that differ in λ and seed only.

    ``groups`` has the numbers at budget K, ``sentences()`` says them, ``inert`` has the trials in which λ did nothing.

    >>> print(te.audit(found).sentences()[0])  # doctest: +ELLIPSIS
    λ audit at K = 1: 3 values × 2 seeds, Spearman with precision ...
    """
    from explorer.results.audit import audit_lambda

    _check_results(found)
    return audit_lambda(found.table, reading_at(found, budget, method))


def figure(
    shown: Results | Front,
    x: str | None = None,
    y: str | None = None,
    colour: str | None = None,
    paths: bool = False,
    dominated: bool = True,
) -> go.Figure:
    """The trials in the plane of two columns, dominated ones faded, the best ones joined by a staircase.

    ``x``, ``y`` and ``colour`` are metrics or dotted paths of parameters, by default recall, precision and a third
    objective. A front gives its reading and objectives, results the model as it is. ``paths`` joins a trial's budgets.

    >>> te.figure(best, colour="objective.lam", paths=True).layout.xaxis.title.text  # doctest: +ELLIPSIS
    'Recall...'
    """
    from explorer.figures import colour_names, default_view, front_figure, numeric_names
    from explorer.pareto import Front

    chosen = front(shown) if isinstance(shown, Results) else shown
    if not isinstance(chosen, Front):
        raise _not_drawn(chosen)
    table, at = chosen.table, chosen.at
    x, y, colour = text_or_none(x, "x"), text_or_none(y, "y"), text_or_none(colour, "colour")
    _check_names([name for name in (x, y) if name], numeric_names(table, at), "an axis")
    _check_names([colour] if colour else [], colour_names(table, at), "a colour")
    usual = default_view(table)
    view = replace(
        usual,
        x=x or usual.x,
        y=y or usual.y,
        colour=colour or usual.colour,
        at=at,
        method=at.method if at.budget != 1 else None,
        paths=flag(paths, "paths"),
        dominated=flag(dominated, "dominated"),
    )
    return front_figure(table.finished(), chosen.ranks, view)


def _not_drawn(value: object) -> UserError:
    return UserError(f"a figure shows what te.results or te.front returns, got {shown(value)}")


def report(
    found: Results, path: str | os.PathLike[str], budget: float = 1, method: str | None = None
) -> Path:
    """Write the sweep, read at budget K, as one HTML file that needs no network, and return its path.

    It has the front, what each budget buys, the λ audit, samples and curves along the front, failures, the sweep file.

    >>> te.report(found, "ring.html").stat().st_size > 1_000_000
    True
    """
    from explorer.report import write_report

    _check_results(found)
    file = file_path(path, "the report's file")
    write_report(found.store, found.table, file, reading_at(found, budget, method))
    return file
