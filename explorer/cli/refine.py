"""``tradeoff refine RUN``: what a sampling budget buys of a trained model, and what it costs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from explorer import api
from explorer.cli.progress import told
from explorer.cli.refining import (
    Calibration,
    Changes,
    Critic,
    Device,
    Experiment,
    Latent,
    Method,
    RatioFrom,
    Real,
    Scores,
    Seed,
    TrackingUri,
    changes_of,
    latent_of,
    named_model,
)
from explorer.cli.target import check_page

if TYPE_CHECKING:
    from explorer.refining import Refined

__all__ = ["refine"]


def refine(
    run: Annotated[
        str,
        typer.Argument(
            help="The MLflow run or identity of a finished trial, or its sweep before it; or a model in files."
        ),
    ],
    trial: Annotated[
        str | None, typer.Argument(help="Identity of the trial in that sweep, or how it begins.")
    ] = None,
    method: Method = "obrs",
    budgets: Annotated[
        str, typer.Option("--budgets", help="K with commas: draws for one sample.")
    ] = "1,2,4,8",
    samples: Annotated[
        int | None, typer.Option("--samples", help="Samples at every K; as many as the trial was read with.")
    ] = None,
    ratio: RatioFrom = "critic",
    calibration: Calibration = None,
    changes: Changes = None,
    seed: Seed = 0,
    device: Device = "auto",
    log: Annotated[
        bool, typer.Option("--log/--no-log", help="Store what is found in the trial's MLflow run.")
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    html: Annotated[Path | None, typer.Option("--html", help="Write a self-contained page here.")] = None,
    critic: Critic = None,
    real: Real = None,
    latent: Latent = None,
    scores: Scores = "logit",
    tracking_uri: TrackingUri = None,
    experiment: Experiment = None,
) -> None:
    """Read a trained trial through a refinement at budgets K: metrics, what theory foretold, calls and seconds."""
    from explorer.refining import parse_budgets

    asked = parse_budgets(budgets)
    found, identity = named_model(run, trial, tracking_uri, experiment)
    if html is not None:
        read = () if isinstance(found, api.Results) else (Path(found).expanduser(), critic, real)
        check_page(html, *(place for place in read if place is not None))
    with told(f"{method}: reading the trial") as stage:
        last = [""]

        def hear(text: str) -> None:
            last[0] = text
            stage(text)

        done = api.refine(
            found,
            identity,
            method,
            asked,
            samples,
            seed,
            ratio,
            calibration,
            device,
            changes_of(changes),
            log,
            hear,
            critic=critic,
            real=real,
            latent=latent_of(latent),
            scores=scores,
        )
    if log and identity is not None:
        print(last[0], file=sys.stderr)
    if as_json:
        print(json.dumps(done.document(), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        _print_table(done)
    if html is not None:  # last, so that a full disk costs nothing but the page
        from explorer.refining.page import write_page

        write_page(done, html)
        print(f"page written to {html}", file=sys.stderr)


def _print_table(found: Refined) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if not console.is_terminal:  # nobody to wrap lines for
        console = Console(width=200)
    lines = _lines(found)
    for part in _parts(lines, console.width):
        table = Table(box=None, header_style="bold")
        for place in (0, *part):
            table.add_column(lines[0].cells[place], justify="right" if place else "left", no_wrap=True)
        for line in lines[1:]:
            table.add_row(*(line.cells[place] for place in (0, *part)), style=line.style)
        console.print(table)
    ratio = found.subject.ratio
    if ratio is not None and ratio.reliability is not None:
        verdict = ratio.reliability.verdict
        console.print(
            f"{verdict.sentence} {verdict.remedy}".strip(),
            style="dim" if verdict.trusted else "yellow",
            highlight=False,
            markup=False,
        )
    console.print(
        f"{found.subject.title}; {found.subject.method.name}; {found.subject.evaluation.samples:,} samples at every K",
        style="dim",
        highlight=False,
        markup=False,
    )


class _Line(NamedTuple):
    """A row of the table: its title, and a cell for every budget."""

    cells: list[str]
    style: str = ""


def _lines(found: Refined) -> list[_Line]:
    """All rows, their heads first."""
    from explorer.refining.table import costs, rows
    from explorer.store.schema import budget_text

    lines = [_Line(["", *(f"K = {budget_text(one.budget)}" for one in found.readings)])]
    for row in rows(found):
        lines.append(_Line([row.title, *(f"{value:.4g}" for value in row.values)]))
        if any(foretold is not None for foretold in row.foretold[1:]):
            cells = ("" if value is None else f"{value:.4g}" for value in row.foretold[1:])
            lines.append(_Line(["  foretold", "", *cells], "dim"))
    return lines + [_Line([title, *values], "dim") for title, values in costs(found).items()]


def _parts(lines: Sequence[_Line], room: int) -> Iterator[list[int]]:
    """Places of columns that fit beside the titles, so many at a time."""
    widths = [max(len(line.cells[place]) for line in lines) + 2 for place in range(len(lines[0].cells))]
    part: list[int] = []
    for place, width in enumerate(widths[1:], 1):
        if part and widths[0] + sum(widths[known] for known in part) + width > room:
            yield part
            part = []
        part.append(place)
    yield part
