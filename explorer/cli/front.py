"""``tradeoff front SWEEP``: the front of a sweep as a table, JSON, CSV or an HTML report."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from explorer.errors import UserError

if TYPE_CHECKING:
    from rich.table import Table

    from explorer.pareto import Ranking
    from explorer.results.table import Scalar, TrialTable
    from explorer.store.schema import At

__all__ = ["front"]


def front(
    sweep: Annotated[str, typer.Argument(help="Name of the sweep.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print all trials as one JSON object.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print all trials as CSV.")] = False,
    html: Annotated[Path | None, typer.Option("--html", help="Write a self-contained report here.")] = None,
    budget: Annotated[float, typer.Option("--budget", help="Read trials at budget K.")] = 1.0,
    method: Annotated[
        str | None, typer.Option("--method", help="Refinement to read through; the first one if not given.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show dominated trials too.")] = False,
    tracking_uri: Annotated[str | None, typer.Option("--tracking-uri", help="MLflow store to read.")] = None,
    experiment: Annotated[str | None, typer.Option("--experiment", help="Look into this one only.")] = None,
) -> None:
    """Show the Pareto front of a sweep."""
    from explorer.folders import default_tracking_uri
    from explorer.results.store import ResultStore

    if as_json and as_csv:
        raise UserError("--json and --csv cannot both go to the output; choose one")
    store = ResultStore(tracking_uri or default_tracking_uri(), experiment)
    table = store.table(sweep)
    at = _reading(table, budget, method)
    if html is not None:
        from explorer.report import write_report

        write_report(store, table, html)
        print(f"report written to {html}", file=sys.stderr)
    if as_json:
        from explorer.pareto import front_document

        print(json.dumps(front_document(table, at), ensure_ascii=False, indent=2, allow_nan=False))
    elif as_csv:
        from explorer.pareto import trials_csv

        print(trials_csv(table), end="")
    else:
        _print_table(table, at, everything)


def _reading(table: TrialTable, budget: float, method: str | None) -> At:
    """The reading asked for, if there is one."""
    from explorer.store.schema import budget_text

    methods = table.methods()
    if method is not None and method not in methods:
        read = ", ".join(methods) or "none"
        raise UserError(
            f"--method must be one through which sweep '{table.sweep}' was read ({read}), got '{method}'"
        )
    if budget not in table.budgets(method):
        read = ", ".join(map(budget_text, table.budgets(method)))
        raise UserError(
            f"--budget must be one at which sweep '{table.sweep}' was read ({read}), got {budget:g}"
        )
    return table.reading(budget, method)


def _print_table(table: TrialTable, at: At, everything: bool) -> None:
    from rich.console import Console

    from explorer.pareto import rank
    from explorer.results.audit import audit_lambda

    ranking = rank(table, at)
    finished = len(table.finished())
    console = Console()
    if not console.is_terminal:  # nobody to wrap lines for
        console = Console(width=200)
    console.print(_rich_table(table, ranking, everything))
    if finished:
        corner = ", ".join(f"{metric} {value:.4g}" for metric, value in ranking.reference.items())
        console.print(f"hypervolume {ranking.hypervolume:.4f} (reference point: {corner})", highlight=False)
    for line in audit_lambda(table).sentences():
        console.print(line, highlight=False, markup=False)
    if finished < len(table):
        console.print(f"{len(table) - finished} of {len(table)} trials are not finished, so not ranked")


def _rich_table(table: TrialTable, ranking: Ranking, everything: bool) -> Table:
    """Trials of the front, or all, by falling recall."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    metrics = table.headline_metrics(COLUMNS, ranking.at) + (["acceptance"] if ranking.at.budget != 1 else [])
    params = table.varying()
    shown = [t for t in table if everything or t.id in ranking.front]
    shown.sort(key=lambda t: -t.at(ranking.at).get("recall", -math.inf))
    at = f" at {table.words(ranking.at)}" if ranking.at.budget != 1 else ""
    title = Text(f"{table.sweep}: {len(ranking.front)} of {len(table)} trials on the front{at}")
    rich = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in ("trial", *(["rank"] if everything else []), *map(_heading, params)):
        rich.add_column(Text(heading), overflow="fold", min_width=12 if heading == "trial" else None)
    for metric in metrics:
        rich.add_column(metric, justify="right", no_wrap=True)
    for trial in shown:
        place = [str(ranking.ranks.get(trial.id, trial.status))] if everything else []
        cells = [trial.id, *place, *(_cell(trial.params.get(p)) for p in params)]
        numbers = trial.at(ranking.at)
        cells += [f"{numbers[m]:.4f}" if m in numbers else "–" for m in metrics]
        style = "" if trial.id in ranking.front else "dim"
        rich.add_row(*map(Text, cells), style=style)
    return rich


def _heading(path: str) -> str:
    """Short names for a narrow terminal: ``objective.name`` → objective, ``training.ema`` → ema."""
    from explorer.results.catalogue import PARAMETERS

    section, _, name = path.rpartition(".")
    return PARAMETERS.get(path, section if name == "name" else name)


COLUMNS = 5
"""Metrics of the printed table; --csv and --json have all."""


def _cell(value: Scalar) -> str:
    """A parameter as people write it; – where it does not apply."""
    if value is None:
        return "–"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
