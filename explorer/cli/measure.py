"""``tradeoff measure REAL FAKE``: precision, recall and their kin of one sample set against another."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from explorer import api
from explorer.cli.measuring import Classifier, Device, Features, Metrics, Neighbours, Seed
from explorer.cli.progress import told
from explorer.cli.target import check_page

if TYPE_CHECKING:
    from explorer.measure import Measurement

__all__ = ["measure"]


def measure(
    real: Annotated[Path, typer.Argument(help="Real samples: .npy, .npz or .pt, or a folder of images.")],
    fake: Annotated[Path, typer.Argument(help="Generated samples, likewise.")],
    features: Features = None,
    metrics: Metrics = None,
    k: Neighbours = 5,
    classifier: Classifier = "ensemble",
    device: Device = "auto",
    seed: Seed = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    html: Annotated[Path | None, typer.Option("--html", help="Write a self-contained page here.")] = None,
) -> None:
    """Measure FAKE against REAL: k-NN scores, FID, KID, PRD and classifier curves, frontiers, with intervals."""
    if html is not None:
        check_page(html, real, fake)
    with told("reading") as stage:
        found = api.measure(real, fake, metrics, features, k, seed, device, stage, classifier)
    if html is not None:
        from explorer.measure import write_page

        write_page(found, html)
        print(f"page written to {html}", file=sys.stderr)
    if as_json:
        print(json.dumps(found.values, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        _print_table(found)


def _print_table(found: Measurement) -> None:
    from rich.console import Console
    from rich.table import Table

    from explorer.measure.page import reasons, rows

    settings = found.values["settings"]
    table = Table(box=None, header_style="bold")
    table.add_column("metric")
    for name in ("value", "low", "high"):
        table.add_column(name, justify="right")
    table.add_column("interval")
    numbers = rows(found.values)
    for row in numbers:
        table.add_row(*row.cells())
    console = Console()
    console.print(table)
    for reason in reasons(numbers):
        console.print(f"no interval for {reason}", style="dim", highlight=False, markup=False)
    console.print(
        f"{settings['real']['samples']} real, {settings['fake']['samples']} fake samples, dimension "
        f"{settings['dimension']}; {settings['features']}; k={settings['k']}; "
        f"{settings['level']:.0%} intervals",
        style="dim",
        highlight=False,
        markup=False,
    )
