"""``tradeoff front SWEEP``: the front of a sweep as a table, JSON, CSV or an HTML report."""

from __future__ import annotations

import csv
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
    from explorer.results.table import Scalar, Trial, TrialTable

__all__ = ["front"]


def front(
    sweep: Annotated[str, typer.Argument(help="Name of the sweep.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print all trials as one JSON object.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print all trials as CSV.")] = False,
    html: Annotated[Path | None, typer.Option("--html", help="Write a self-contained report here.")] = None,
    budget: Annotated[float, typer.Option("--budget", help="Read trials at OBRS budget K.")] = 1.0,
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
    _check_budget(table, budget)
    if html is not None:
        from explorer.report import write_report

        write_report(store, table, html)
        print(f"report written to {html}", file=sys.stderr)
    if as_json:
        from explorer.pareto import front_document

        print(json.dumps(front_document(table, budget), ensure_ascii=False, indent=2, allow_nan=False))
    elif as_csv:
        _print_csv(table, budget)
    else:
        _print_table(table, budget, everything)


def _check_budget(table: TrialTable, budget: float) -> None:
    from explorer.store.schema import budget_text

    if budget not in table.budgets():
        read = ", ".join(map(budget_text, table.budgets()))
        raise UserError(
            f"--budget must be one at which sweep '{table.sweep}' was read ({read}), got {budget:g}"
        )


def _print_table(table: TrialTable, budget: float, everything: bool) -> None:
    from rich.console import Console

    from explorer.pareto import rank
    from explorer.results.audit import audit_lambda

    ranking = rank(table, budget)
    finished = len(table.finished())
    console = Console()
    if not console.is_terminal:  # nobody to wrap lines for
        console = Console(width=200)
    console.print(_rich_table(table, ranking, everything))
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

    from explorer.results.table import BASE_METRICS

    metrics = [*BASE_METRICS, *(["acceptance"] if ranking.budget != 1 else [])]
    params = table.varying()
    shown = [t for t in table if everything or t.id in ranking.front]
    shown.sort(key=lambda t: -t.at_budget(ranking.budget).get("recall", -math.inf))
    at = f" at K={ranking.budget:g}" if ranking.budget != 1 else ""
    title = Text(f"{table.sweep}: {len(ranking.front)} of {len(table)} trials on the front{at}")
    rich = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in ("trial", *(["rank"] if everything else []), *map(_heading, params)):
        rich.add_column(Text(heading), overflow="fold", min_width=12 if heading == "trial" else None)
    for metric in metrics:
        rich.add_column(metric, justify="right", no_wrap=True)
    for trial in shown:
        place = [str(ranking.ranks.get(trial.id, trial.status))] if everything else []
        cells = [trial.id, *place, *(_cell(trial.params.get(p)) for p in params)]
        numbers = trial.at_budget(ranking.budget)
        cells += [f"{numbers[m]:.4f}" if m in numbers else "–" for m in metrics]
        style = "" if trial.id in ranking.front else "dim"
        rich.add_row(*map(Text, cells), style=style)
    return rich


def _heading(path: str) -> str:
    """Short names for a narrow terminal: ``objective.name`` → objective, ``training.ema`` → ema."""
    section, _, name = path.rpartition(".")
    return {"objective.lam": "λ"}.get(path, section if name == "name" else name)


def _print_csv(table: TrialTable, budget: float) -> None:
    """One row per trial; what a trial does not have stays empty."""
    from explorer.pareto import rank
    from explorer.store.schema import metric_key

    ranking = rank(table, budget)
    params = sorted({path for trial in table for path in trial.params})
    metrics = table.metric_names()
    reads = [
        (k, m) for k in table.budgets() for m in sorted({m for t in table for m in t.budgets.get(k, {})})
    ]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["id", "status", "on_front", "rank", *params, *metrics, *(metric_key(*r) for r in reads)])
    for trial in table:
        row: list[Scalar] = [trial.id, trial.status, trial.id in ranking.front, ranking.ranks.get(trial.id)]
        row += [trial.params.get(path) for path in params]
        row += [trial.metrics.get(metric) for metric in metrics]
        row += [_read(trial, k, m) for k, m in reads]
        writer.writerow(row)


def _read(trial: Trial, budget: float, metric: str) -> float | None:
    return trial.budgets.get(budget, {}).get(metric)


def _cell(value: Scalar) -> str:
    """A parameter as people write it; – where it does not apply."""
    if value is None:
        return "–"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
