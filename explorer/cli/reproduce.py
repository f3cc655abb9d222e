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
        str | None, typer.Argument(help="A figure of the list, or all.", show_default=False)
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="File to write; NAME.html in the current folder if not given.")
    ] = None,
) -> None:
    """Compute figures of the papers again; without a name, list them."""
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
    from explorer.reproduce.page import page

    built = []
    for entry in chosen:
        typer.echo(f"{entry.name}  {entry.title}", err=True)
        built.append((entry, entry.build()))
    write_html(target, page(built))
    typer.echo(f"Wrote {target}")


def _list() -> None:
    from explorer.reproduce import REPRODUCTIONS

    width = max(len(entry.name) for entry in REPRODUCTIONS)
    paper = ""
    for entry in REPRODUCTIONS:
        if entry.paper != paper:
            paper = entry.paper
            typer.echo(f"{paper}\n")
        typer.echo(f"  {entry.name:<{width}}  {entry.title} ({entry.place})")
    typer.echo("\nWrite one with `tradeoff reproduce NAME`, every one with `tradeoff reproduce all`.")
