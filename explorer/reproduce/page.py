"""The reproduced figures as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from explorer.html.markup import Markup, tag
from explorer.html.page import Page
from explorer.reproduce import listing
from explorer.reproduce.record import Compared, Panel, Reproduction, Table

__all__ = ["page"]


def page(
    entries: Sequence[tuple[Reproduction, Sequence[Panel]]], left_out: Mapping[str, str] | None = None
) -> str:
    """One document: each figure under its title, with the paper and the page it comes from.

    ``left_out`` says of figures that could not be computed, by name, why. Several figures are followed by the table of
    all that the papers print.
    """
    single = len(entries) == 1
    document = Page(entries[0][0].title if single else "Figures, computed again")
    document.add(tag("p", "Tradeoff Explorer", class_="kicker"))
    document.add(tag("h1", entries[0][0].title if single else "Figures, computed again"))
    if not single:
        document.add(
            tag(
                "p",
                "Figures of the papers, recomputed from their definitions, each with the page it comes from.",
                class_="muted",
            )
        )
    for entry, panels in entries:
        if not single:
            document.add(tag("h2", entry.title, id=entry.name))
        document.add(tag("p", f"{entry.paper}. {entry.place}.", class_="muted"))
        for panel in panels:
            document.add(document.figure(panel.figure), tag("p", panel.caption, class_="muted"))
            if panel.numbers:
                document.add(_numbers(panel.numbers))
            if panel.table is not None:
                document.add(_table(panel.table))
    if left_out:
        document.add(tag("h2", "Left out", id="left-out"))
        document.add(*(tag("p", f"{name}: {why}", class_="muted") for name, why in left_out.items()))
    if not single:
        document.add(*listing.html({entry.name for entry, _ in entries}))
    document.add(_footer())
    return document.html()


def _numbers(numbers: Sequence[Compared]) -> Markup:
    head = tag("tr", *(tag("th", text) for text in ("", "printed", "computed here")))
    rows = (
        tag("tr", *(tag("td", text) for text in (one.what, one.printed, one.computed))) for one in numbers
    )
    return tag("div", tag("table", head, *rows), class_="scroll")


def _table(table: Table) -> Markup:
    """Our values, and below each what is printed there."""
    head = tag("tr", *(tag("th", text) for text in table.columns))
    rows = (
        tag("tr", tag("td", title), *(_cell(ours, printed) for ours, printed in cells))
        for title, cells in table.rows.items()
    )
    return tag("div", tag("table", head, *rows), class_="scroll")


def _cell(ours: str, printed: str) -> Markup:
    below = (tag("small", f"printed: {printed}"),) if printed else ()
    return tag("td", ours, *below, class_="value")


def _footer() -> Markup:
    return tag("footer", "Made with ", tag("code", "tradeoff reproduce"), ".")
