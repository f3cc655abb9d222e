"""The table of all that the papers print: as Markdown for the documentation, as HTML for the gallery.

``python -m explorer.reproduce.listing > docs/figures.md`` writes the page of the documentation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import groupby

from explorer.html.markup import Markup, tag
from explorer.reproduce.printed import PRINTED, Printed, Status

__all__ = ["html", "markdown"]

COLUMNS = ("printed", "what it shows", "here", "note")
MEANINGS = {
    Status.REPRODUCED: "computed again by `tradeoff reproduce NAME`, from the paper's definitions",
    Status.SWEEP: "likewise, from the trained models of a sweep that has to be run first",
    Status.FORMULAS: "a table of formulas, which the named module computes and tests check",
    Status.SCHEMATIC: "a drawing with nothing to compute",
    Status.GPU: "could be computed, by days of training on a GPU",
    Status.DATA: "shows data or trained models that cannot be had here without a download",
}
STAND_INS = """\
Where a paper uses CIFAR-10 and Inception, the classes of Fashion-MNIST and a small classifier trained on other images
of it stand in; where it uses MNIST, the digits of scikit-learn do. The captions say so, and name the laws that a paper
draws without numbers. `tradeoff reproduce all` writes one page of all figures, with this table below them."""


def markdown() -> str:
    """The page of the documentation."""
    counts = Counter(row.status for row in PRINTED)
    kinds = [f"| {status} | {counts[status]} | {MEANINGS[status]} |" for status in Status]
    parts = ["# Figures and tables of the papers", STAND_INS]
    parts.append("\n".join(["| here | of them | means |", "|---|---|---|", *kinds]))
    for paper, rows in _papers():
        lines = [f"| {' | '.join(COLUMNS)} |", "|---|---|---|---|"]
        lines += [f"| {row.label} | {row.what} | {_here(row)} | {row.note} |" for row in rows]
        parts += [f"## {paper}", "\n".join(lines)]
    parts.append("Written by `python -m explorer.reproduce.listing > docs/figures.md`.")
    return "\n\n".join(parts) + "\n"


def html(shown: Collection[str]) -> Iterator[Markup]:
    """Headings and tables for a page on which the figures named in ``shown`` are, with links to them."""
    yield tag("h2", "Every figure and table of the papers", id="printed")
    again = sum(row.status in (Status.REPRODUCED, Status.SWEEP) for row in PRINTED)
    yield tag(
        "p",
        f"{again} of {len(PRINTED)} are computed again; the names of those above are links.",
        class_="muted",
    )
    for paper, rows in _papers():
        yield tag("p", tag("b", paper))
        head = tag("tr", *(tag("th", text) for text in COLUMNS))
        body = (tag("tr", *(tag("td", cell) for cell in _cells(row, shown))) for row in rows)
        yield tag("div", tag("table", head, *body), class_="scroll")


def _papers() -> Iterator[tuple[str, list[Printed]]]:
    for paper, rows in groupby(PRINTED, lambda row: row.paper):
        yield paper, list(rows)


def _here(row: Printed) -> str:
    return f"{row.status}: `{row.entry}`" if row.entry else str(row.status)


def _cells(row: Printed, shown: Collection[str]) -> tuple[str | Markup, ...]:
    label: str | Markup = row.label
    if row.entry in shown:
        label = tag("a", row.label, href=f"#{row.entry}")
    here: str | Markup = str(row.status)
    if row.status is Status.FORMULAS:
        here = tag("span", f"{row.status}: ", tag("code", row.entry))
    return label, row.what, here, row.note


if __name__ == "__main__":
    import sys

    sys.stdout.write(markdown())
