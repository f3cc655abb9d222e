"""``tradeoff fill SWEEP``: the sweep file that fills a stretch of a front."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from explorer import api
from explorer.errors import UserError, shown

__all__ = ["fill"]


def fill(
    sweep: Annotated[str, typer.Argument(help="Name of the sweep whose front has a gap.")],
    low: Annotated[
        float | None,
        typer.Option("--from", help="Where the stretch begins; that of the widest gap that can be filled."),
    ] = None,
    high: Annotated[
        float | None, typer.Option("--to", help="Where it ends; that of the widest gap that can be filled.")
    ] = None,
    along: Annotated[
        str, typer.Option("--along", help="Metric along which the front is looked at.")
    ] = "recall",
    points: Annotated[int, typer.Option("--points", help="How many points are tried in it.")] = 8,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write the file here; else it is printed.")
    ] = None,
    budget: Annotated[float, typer.Option("--budget", help="Look at the front at budget K.")] = 1.0,
    method: Annotated[
        str | None, typer.Option("--method", help="Refinement to read through; the first one if not given.")
    ] = None,
    tracking_uri: Annotated[str | None, typer.Option("--tracking-uri", help="MLflow store to read.")] = None,
    experiment: Annotated[str | None, typer.Option("--experiment", help="Look into this one only.")] = None,
) -> None:
    """Write a follow-up sweep that fills a gap of the front, by default the widest."""
    from explorer import followup

    if out is not None:
        _check_new(out)
    found = api.results(sweep, tracking_uri, experiment)
    if found.table.complaint:
        print(f"tradeoff: {found.table.complaint}", file=sys.stderr)
    at = found.table.reading_at(budget, method)
    text = followup.fill(found.table, found.store.document(sweep), low, high, along, points, at)
    _check(text)
    if out is None:
        print(text, end="")
        return
    try:
        with out.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UserError(f"{shown(str(out), 120)} cannot be written: {error.strerror}") from None
    print(f"written to {out}; run it with `tradeoff sweep {shlex.quote(str(out))}`", file=sys.stderr)


def _check(text: str) -> None:
    """What is told is a sweep; one with members of a user's is checked where they lie, when it is launched."""
    from explorer.sweep.document import load_sweep
    from explorer.sweep.loading import parse_yaml

    document = parse_yaml(text, "the follow-up")
    if not document.get("plugins"):
        load_sweep(document)


def _check_new(out: Path) -> None:
    """Refuse a place where a new file cannot be made, before anything is read."""
    name = shown(str(out), 120)
    if out.suffix not in (".yaml", ".yml"):
        raise UserError(f"a sweep file's name ends in .yaml, got {name}")
    if not out.parent.is_dir():
        raise UserError(f"{name} cannot be written: there is no folder {shown(str(out.parent))}")
    if out.exists():
        raise UserError(f"{name} is there already; give another name, or remove it")
