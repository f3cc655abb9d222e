"""``tradeoff export SWEEP FILE``: a sweep as one file that any other store takes in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from explorer import api
from explorer.cli.progress import told

__all__ = ["export"]


def export(
    sweep: Annotated[str, typer.Argument(help="Name of the sweep.")],
    file: Annotated[
        Path, typer.Argument(help="The archive, which ends in .zip; one that is there gives way.")
    ],
    artifacts: Annotated[
        bool,
        typer.Option("--artifacts/--no-artifacts", help="With samples, curves and models, or numbers alone."),
    ] = True,
    tracking_uri: Annotated[str | None, typer.Option("--tracking-uri", help="MLflow store to read.")] = None,
    experiment: Annotated[str | None, typer.Option("--experiment", help="Look into this one only.")] = None,
) -> None:
    """Write a sweep with all its runs, histories and artifacts into one file; `tradeoff import FILE` takes it in."""
    with told("reading") as stage:
        left = api.export_sweep(sweep, file, artifacts, tracking_uri, experiment, stage)
    print(left.sentence())
    for note in left.notes:
        print(f"tradeoff: left out: {note}", file=sys.stderr)
