"""``tradeoff list``: all sweeps of a store, newest first, and experiments of others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.table import Table

    from explorer.results.listing import Listed

__all__ = ["list_sweeps"]

NAME = 80
"""Characters of a sweep's name in the table; --json has it whole."""


def list_sweeps(
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
    tracking_uri: Annotated[str | None, typer.Option("--tracking-uri", help="MLflow store to read.")] = None,
    experiment: Annotated[str | None, typer.Option("--experiment", help="Look into this one only.")] = None,
) -> None:
    """List all sweeps of a store, newest first, then experiments that others wrote."""
    from rich.console import Console

    from explorer.cli.progress import told
    from explorer.results.listing import Listed, listed_sweeps
    from explorer.results.store import ResultStore
    from explorer.sources.experiments import foreign_experiments
    from explorer.store.addresses import asked_address, shown_address

    store = ResultStore(asked_address(tracking_uri), experiment)
    with told("reading the list of sweeps") as tell:
        found = listed_sweeps(store)
        tell("looking for experiments of others")
        ours = {one.info.experiment_id for one in found}
        others = [
            Listed(info)
            for info in foreign_experiments(store, ours)
            if experiment is None or info.experiment == experiment
        ]
    if as_json:
        document = {
            "store": shown_address(store.uri),
            "sweeps": [one.document() for one in found],
            "experiments": [one.document() for one in others],
        }
        print(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False))
        return
    if not found and not others:
        where = f" of experiment '{experiment}'" if experiment is not None else ""
        print(
            f"no sweeps{where} in {shown_address(store.uri)} yet; begin with `tradeoff sweep demo`, "
            "which takes some minutes on two cores"
        )
        return
    console = Console()
    if not console.is_terminal:  # nobody to wrap lines for
        console = Console(width=200)
    console.print(_table(found, others))


def _table(found: Sequence[Listed], others: Sequence[Listed]) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from explorer.results.naming import cut

    table = Table(box=SIMPLE_HEAD, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("sweep", overflow="fold", min_width=12)
    table.add_column("status", no_wrap=True)
    table.add_column("trials", overflow="fold")
    table.add_column("best of each objective", overflow="fold")
    fronts = any(one.front is not None for one in found)
    if fronts:
        table.add_column("front", justify="right", no_wrap=True)
    table.add_column("updated, UTC", no_wrap=True)
    table.add_column("experiment", overflow="fold")
    for one in (*found, *others):
        cells = [
            cut(one.info.name, NAME),
            _status(one),
            _trials(one),
            _best(one),
            *(["–" if one.front is None else str(one.front)] if fronts else []),
            f"{one.info.updated:%Y-%m-%d %H:%M}",
            one.info.experiment if one.info.kind == "sweep" else "is one of others",
        ]
        table.add_row(*map(Text, cells), style="dim" if one.info.kind != "sweep" else "")
    return table


def _status(one: Listed) -> str:
    """Where it stands; a sweep that runs as far as its run says and has lost its driver is one that was left."""
    if one.info.status != "running" or one.info.kind != "sweep" or one.driven:
        return one.info.status
    return "left" if one.driven is False else "running?"


def _trials(one: Listed) -> str:
    """``24 finished, 1 failed``; of what nobody counted, how many have begun."""
    if not one.counts:
        return f"{one.info.trials:,}" + (" begun" if one.info.kind == "sweep" and one.info.trials else "")
    told = [
        f"{one.counts[status]:,} {status}"
        for status in ("finished", "failed", "killed", "running")
        if one.counts.get(status)
    ]
    return ", ".join(told)


def _best(one: Listed) -> str:
    """``precision ↑ 0.98, fid ↓ 0.31``."""
    from explorer.results.naming import number

    arrows = {"max": "↑", "min": "↓"}
    return ", ".join(
        f"{goal.metric} {arrows[goal.direction]} {number(one.best[goal.metric]) if goal.metric in one.best else '–'}"
        for goal in one.goals
    )
