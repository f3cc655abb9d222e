"""``tradeoff reproduce``: the papers' figures, computed again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from explorer.cli.target import check_page
from explorer.errors import UserError

__all__ = ["reproduce"]


def reproduce(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A figure or table of the list, or as the paper calls it (table-6.1, figure-6.7, 6.7); or all.",
            show_default=False,
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="File to write; NAME.html in the current folder if not given.")
    ] = None,
    sweep: Annotated[
        str | None,
        typer.Option(
            help="Sweep whose trained models are shown, where a figure shows some; its preset's if not given."
        ),
    ] = None,
    tracking_uri: Annotated[str | None, typer.Option(help="MLflow store to read that sweep from.")] = None,
) -> None:
    """Compute figures and tables of the papers again; without a name, list them."""
    from explorer.reproduce import REPRODUCTIONS, reproduction

    if name is None:
        if html is not None:
            raise UserError(f"--html needs a figure to write to {html}; add a name from the list, or all")
        _list()
        return
    chosen = list(REPRODUCTIONS) if name == "all" else [reproduction(name)]
    target = html if html is not None else Path(f"{name}.html")
    check_page(target)

    from explorer.html import write_html
    from explorer.reproduce import panels
    from explorer.reproduce.page import page

    built, left_out = [], {}
    for entry in chosen:
        typer.echo(f"{entry.name}  {entry.title}", err=True)
        try:
            built.append((entry, panels(entry, sweep, tracking_uri)))
        except UserError as error:
            if len(chosen) == 1:
                raise
            left_out[entry.name] = str(error)
            typer.echo(f"  left out: {error}", err=True)
    write_html(target, page(built, left_out))
    typer.echo(f"Wrote {target}" + (f", without {', '.join(left_out)}" if left_out else ""))


def _list() -> None:
    from explorer.reproduce import REPRODUCTIONS

    width = max(len(entry.name) for entry in REPRODUCTIONS)
    paper = ""
    for entry in REPRODUCTIONS:
        if entry.paper != paper:
            paper = entry.paper
            typer.echo(f"{paper}\n")
        reads = f"; reads sweep {entry.sweep}" if entry.sweep else ""
        typer.echo(f"  {entry.name:<{width}}  {entry.title} ({entry.place}{reads})")
    typer.echo(
        "\nWrite one with `tradeoff reproduce NAME`, every one with `tradeoff reproduce all`. Where one "
        "paper alone has it, its own label will do: table-6.1, figure-6.7, 6.7."
    )
