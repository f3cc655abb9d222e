"""A table of numbers as HTML whose text is escaped."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from explorer.html import Markup, tag

__all__ = ["html_table"]


def html_table(heads: Sequence[str], rows: Sequence[Sequence[str]], on: Collection[int] = ()) -> Markup:
    """A table with a head, which scrolls where it is too wide; the rows ``on`` are in bold."""
    body = [
        tag("tr", *(tag("td", cell) for cell in row), class_="on" if i in on else "")
        for i, row in enumerate(rows)
    ]
    table = tag("table", tag("tr", *(tag("th", head) for head in heads)), *body, class_="tx-table")
    return tag("div", table, class_="tx-wide")
