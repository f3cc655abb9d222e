"""The reproduced figures as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.html.markup import Markup, tag
from explorer.html.page import Page
from explorer.reproduce.record import Panel, Reproduction

__all__ = ["page"]


def page(entries: Sequence[tuple[Reproduction, Sequence[Panel]]]) -> str:
    """One document: each figure under its title, with the paper and the page it comes from."""
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
    document.add(_footer())
    return document.html()


def _footer() -> Markup:
    return tag("footer", "Made with ", tag("code", "tradeoff reproduce"), ".")
