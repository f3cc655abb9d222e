"""``tradeoff compare RUN RUN …``: runs beside each other, as tables, JSON or a page."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from explorer.cli.target import check_page

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from explorer.comparison import Comparison, Measured

__all__ = ["compare"]

MARKS = {
    "better": ("▲ better", "green"),
    "worse": ("▼ worse", "red"),
    "higher": ("higher", ""),
    "lower": ("lower", ""),
}
"""What a verdict looks like beside its p-value; others have none."""


def compare(
    runs: Annotated[
        list[str],
        typer.Argument(
            help="Two to eight: a trial's identity or how it begins, SWEEP/TRIAL, or an id or name of MLflow's. The "
            "first is what the others are compared with."
        ),
    ],
    html: Annotated[Path | None, typer.Option("--html", help="Write a self-contained page here.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the comparison as JSON.")] = False,
    budget: Annotated[float, typer.Option("--budget", help="Read trials at budget K.")] = 1.0,
    method: Annotated[
        str | None, typer.Option("--method", help="Refinement to read through; the first one if not given.")
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option(
            "--metrics",
            help="Names with commas between them, or all; the objectives and some more if not given.",
        ),
    ] = None,
    tracking_uri: Annotated[str | None, typer.Option("--tracking-uri", help="MLflow store to read.")] = None,
    experiment: Annotated[str | None, typer.Option("--experiment", help="Look into this one only.")] = None,
) -> None:
    """Compare runs, each with all seeds of its configuration: what differs, metrics, significance, costs."""
    from explorer.cli.progress import told
    from explorer.comparison import compare_sides, open_sides
    from explorer.comparison.document import comparison_document
    from explorer.results.store import ResultStore
    from explorer.store.addresses import asked_address

    if html is not None:
        check_page(html)
    names = None if metrics is None else [name.strip() for name in metrics.split(",") if name.strip()]
    store = ResultStore(asked_address(tracking_uri), experiment)
    with told("opening the store") as tell:
        sides = open_sides(store, runs, tell)
        found = compare_sides(sides, budget, method, names)
        if html is not None:
            from explorer.report.comparing import write_comparison

            tell("writing the page")
            write_comparison(store, found, html)
    for complaint in dict.fromkeys(side.columns.table.complaint for side in sides):
        if complaint:
            print(f"tradeoff: {complaint}", file=sys.stderr)
    if html is not None:
        print(f"comparison written to {html}", file=sys.stderr)
    if as_json:
        print(json.dumps(comparison_document(found), ensure_ascii=False, indent=2, allow_nan=False))
    else:
        _print(found)


def _print(found: Comparison) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console()
    if not console.is_terminal:  # nobody to wrap lines for
        console = Console(width=200)
    for title, table in (_runs(found), _differences(found), _metrics(found), _costs(found)):
        # A title of its own: that of a table is wrapped to the table's width.
        if title:
            console.print(Text(title, style="bold"))
        if table.row_count:
            console.print(table)
    for sentence in found.sentences():
        console.print(Text(sentence))


def _table(*headings: str) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, padding=(0, 2, 0, 0), pad_edge=False)
    for heading in headings:
        table.add_column(Text(heading), overflow="fold")
    return table


def _runs(found: Comparison) -> tuple[str, Table]:
    from rich.text import Text

    from explorer.comparison.words import letter
    from explorer.words import counted

    table = _table("", "run", "sweep", "trial", "seeds", "reading")
    for i, (side, at) in enumerate(zip(found.sides, found.at, strict=True)):
        seeds = "this seed" if found.alone else counted(found.seeds(i), "seed")
        status = "" if side.trial.status == "finished" else f", {side.trial.status}"
        cells = (letter(i), side.name, side.label, side.trial.id + status, seeds, at.words(with_method=True))
        table.add_row(*map(Text, cells))
    return "Runs", table


def _differences(found: Comparison) -> tuple[str, Table]:
    """Parameters that differ, values unlike the first one's in bold; those alike are counted."""
    from rich.text import Text

    from explorer.comparison.words import letter
    from explorer.results.naming import plain
    from explorer.words import counted

    points, apart = found.points, found.differing()
    alike = counted(len(found.shared()), "field")
    table = _table("field", *map(letter, range(len(points))))
    for path in apart:
        values = [plain(point[path]) if path in point else "–" for point in points]
        cells = [Text(value, style="" if value == values[0] else "bold") for value in values]
        table.add_row(Text(path), *cells)
    what = "What differs" if apart else "Nothing of what was trained differs"
    return f"{what}; {alike} alike", table


def _metrics(found: Comparison) -> tuple[str, Table]:
    """A row per metric; below each mean but the first what it differs by, and whether that is more than luck."""
    from rich.text import Text

    from explorer.comparison.words import letter

    table = _table("metric", *map(letter, range(len(found.sides))))
    for metric in found.metrics:
        arrow = {"max": " ↑", "min": " ↓"}.get(metric.direction or "", "")
        table.add_row(Text(metric.title + arrow), *_cells(metric))
    tested = any(one.is_known for metric in found.metrics for one in metric.differences)
    below = ", and below it the difference to A" if tested else ""
    what = f"Metrics: mean ± half of the interval at 95 %{below}"
    return what if found.metrics else "Nothing has been measured of these runs yet", table


def _cells(metric: Measured) -> Iterator[Text]:
    from rich.text import Text

    from explorer.comparison.words import chance, told, value_words

    for i, value in enumerate(metric.values):
        best = metric.best == i
        cell = Text(value_words(value) + (" ★" if best else ""), style="bold" if best else "")
        if i and metric.differences[i - 1].is_known:
            one = metric.differences[i - 1]
            cell.append(f"\n{told(one)}", style="not bold dim")
            if one.corrected is not None:
                cell.append(f"  {chance(one.corrected)}", style="not bold dim")
            word, colour = MARKS.get(metric.verdict(i), ("", ""))
            if word:
                cell.append(f"  {word}", style=f"not bold {colour}".strip())
        yield cell


def _costs(found: Comparison) -> tuple[str, Table]:
    from rich.text import Text

    from explorer.comparison.words import letter, value_words

    table = _table("", *map(letter, range(len(found.sides))))
    steps = [found.iterations(i) for i in range(len(found.sides))]
    if any(step is not None for step in steps):
        table.add_row(Text("Iterations"), *(Text("–" if step is None else f"{step:,}") for step in steps))
    for cost in found.costs:
        table.add_row(Text(cost.title), *(Text(value_words(value)) for value in cost.values))
    return "What they cost" if table.row_count else "", table
