"""A refined model on a terminal: a column for every budget, and whether its ratio is to be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from explorer.refining import Refined

__all__ = ["print_budgets"]


def print_budgets(found: Refined) -> None:
    """Metrics, what was foretold of them and what they cost, by K; columns that have no room go on below."""
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
        f"{found.subject.title}; {found.subject.method.name}",
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
