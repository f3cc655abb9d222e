"""``tradeoff front SWEEP``: the front of a sweep, or of several, as a table, JSON, CSV or an HTML report."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from explorer import api
from explorer.cli.objectives import parse_objectives
from explorer.cli.target import check_page
from explorer.errors import UserError
from explorer.words import counted

if TYPE_CHECKING:
    from rich.table import Table

    from explorer.pareto import Front
    from explorer.results.audit import LambdaAudit
    from explorer.results.table import Scalar, Trial

__all__ = ["front"]


def front(
    sweeps: Annotated[
        list[str] | None, typer.Argument(metavar="SWEEP...", help="Name of the sweep; of several, one front.")
    ] = None,
    origin: Annotated[
        str | None,
        typer.Option(
            "--from", help="Read this instead of the store: a CSV file, an Optuna storage, Ray's results."
        ),
    ] = None,
    goals: Annotated[
        str | None, typer.Option("--goals", help="Other objectives, as 'precision max, fid min'.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all trials as one JSON object.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print all trials as CSV.")] = False,
    html: Annotated[Path | None, typer.Option("--html", help="Write a self-contained report here.")] = None,
    budget: Annotated[float, typer.Option("--budget", help="Read trials at budget K.")] = 1.0,
    method: Annotated[
        str | None, typer.Option("--method", help="Refinement to read through; the first one if not given.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Show dominated trials too.")] = False,
    tracking_uri: Annotated[str | None, typer.Option("--tracking-uri", help="MLflow store to read.")] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Read all of the store again, also what seems unchanged.")
    ] = False,
    experiment: Annotated[str | None, typer.Option("--experiment", help="Look into this one only.")] = None,
) -> None:
    """Show the Pareto front of a sweep, or of several sweeps together."""
    if as_json and as_csv:
        raise UserError("--json and --csv cannot both go to the output; choose one")
    if html is not None:
        check_page(html)
    found = _found(sweeps or [], origin, goals, tracking_uri, experiment, fresh)
    if found.table.complaint:
        print(f"tradeoff: {found.table.complaint}", file=sys.stderr)
    shown = api.front(found, budget=budget, method=method)
    if html is not None:
        api.report(found, html, budget, method)
        print(f"report written to {html}", file=sys.stderr)
    if as_json:
        print(json.dumps(shown.document(), ensure_ascii=False, indent=2, allow_nan=False))
    elif as_csv:
        from explorer.pareto import trials_csv

        print(trials_csv(found.table), end="")
    else:
        _print_table(shown, api.audit(found, budget, method), everything)


def _found(
    sweeps: Sequence[str],
    origin: str | None,
    goals: str | None,
    uri: str | None,
    experiment: str | None,
    fresh: bool,
) -> api.Results:
    """Trials of the sweeps of a store, or of what lies elsewhere."""
    if origin is not None and (uri is not None or experiment is not None):
        raise UserError("--from names all that is read; leave out --tracking-uri and --experiment")
    if not sweeps and origin is None:
        raise UserError("a front is that of a sweep, and none is named; name one, or a file with --from")
    read = [
        api.results(one, uri, experiment, fresh) if origin is None else api.results_from(origin, one)
        for one in (sweeps or [None])  # type: ignore[list-item]
    ]
    found = api.beside(*read)
    if len(read) > 1:
        print("tradeoff: numbers of several sweeps compare where they were measured alike", file=sys.stderr)
    chosen = parse_objectives(goals)
    if chosen is None:
        return found
    objectives = {goal.metric: goal.direction for goal in chosen}
    return replace(found, table=api.front(found, objectives).table)


def _print_table(front: Front, audit: LambdaAudit, everything: bool) -> None:
    from rich.console import Console

    table = front.table
    finished = len(table.finished())
    console = Console()
    if not console.is_terminal:  # nobody to wrap lines for
        console = Console(width=200)
    console.print(_rich_table(front, everything))
    if finished:
        corner = ", ".join(f"{metric} {value:.4g}" for metric, value in front.reference.items())
        told = f"{front.volume()} (reference point: {corner})"
        console.print(told, highlight=False, markup=False)
    for line in audit.sentences():
        console.print(line, highlight=False, markup=False)
    if finished < len(table):
        console.print(
            f"{len(table) - finished} of {counted(len(table), 'trial')} not finished, so not ranked"
        )
    stopped = {_shared(kind, trials): trials for kind, trials in table.stops().items()}
    for line in (*_told("failed", table.failures()), *_told("stopped early", stopped)):
        console.print(line, highlight=False, markup=False)


def _shared(kind: str, trials: Sequence[Trial]) -> str:
    """Why these trials were ended: in full where they share that, else what they have in common."""
    reasons = {trial.stopped.reason for trial in trials if trial.stopped is not None}
    return reasons.pop() if len(reasons) == 1 else kind


def _told(what: str, found: Mapping[str, Sequence[Trial]]) -> Iterator[str]:
    """How trials ended other than they should, a line per reason."""
    for reason, trials in islice(found.items(), REASONS):
        yield f"{len(trials)} {what} ({trials[0].id}{', …' if len(trials) > 1 else ''}): {reason}"
    if len(found) > REASONS:
        yield f"and for {len(found) - REASONS} other reasons; --html FILE lists them all"


def _rich_table(front: Front, everything: bool) -> Table:
    """Trials of the front, or all, by falling recall."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from explorer.results.naming import Naming

    at, table = front.at, front.table
    metrics = table.headline_metrics(COLUMNS, at) + (["acceptance"] if at.budget != 1 else [])
    params = Naming.of([trial.params for trial in table]).headings
    bases = table.bases() & {trial.id for trial in table}
    title = Text(front.headline())
    rich = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    lead = ["trial", *(["rank"] if everything else []), *(["stage"] if bases else [])]
    for heading in (*lead, *params.values()):
        rich.add_column(Text(heading), overflow="fold", min_width=12 if heading == "trial" else None)
    for metric in metrics:
        rich.add_column(Text(metric), justify="right", no_wrap=True)
    for trial in front.by_recall() if everything else front:
        place = [str(front.ranks.get(trial.id, trial.status))] if everything else []
        stage = ["base" if trial.id in bases else "–"] if bases else []
        cells = [trial.id, *place, *stage, *(_cell(trial.params.get(p)) for p in params)]
        numbers = trial.at(at)
        cells += [f"{numbers[m]:.4f}" if m in numbers else "–" for m in metrics]
        style = "" if trial in front else "dim"
        rich.add_row(*map(Text, cells), style=style)
    return rich


COLUMNS = 5
"""Metrics of the printed table; --csv and --json have all."""

REASONS = 5
"""Reasons of failures, and of stops, below it."""


def _cell(value: Scalar) -> str:
    """A parameter as people write it; – where it does not apply."""
    if value is None:
        return "–"
    from explorer.results.naming import cut

    return f"{value:.6g}" if isinstance(value, float) else cut(str(value))
