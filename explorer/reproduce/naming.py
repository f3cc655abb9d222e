"""What a figure or table may be called on the command line: by its name here, or as the paper has it."""

from __future__ import annotations

from collections.abc import Collection

from explorer.errors import UserError, shown
from explorer.reproduce.printed import PRINTED, Printed, Status
from trainables.nearest import nearest

__all__ = ["named"]


def named(name: str, known: Collection[str]) -> str:
    """The one of the ``known`` names that is meant: ``table-6.1``, ``figure-6.7`` and ``6.7`` are the thesis'.

    Such a label is taken if one paper alone has printed it; of what was printed and is not here it is told why.
    """
    if name in known:
        return name
    rows = [row for row in PRINTED if name.lower() in _labels(row)]
    found = {row.entry for row in rows if row.entry in known}
    if len(found) == 1:
        return str(found.pop())
    if found:
        names = " or ".join(sorted(str(entry) for entry in found))
        raise UserError(f"several papers print {shown(name)}; say {names}")
    if rows:
        told = "; ".join(f"{row.label} of {row.paper.partition(',')[0]}: {_why(row)}" for row in rows)
        raise UserError(f"{shown(name)} is not reproduced ({told}); run `tradeoff reproduce` for the list")
    hint = nearest(name, [*known, "all"], otherwise="; run `tradeoff reproduce` for the list")
    raise UserError(f"no figure is called {shown(name)}{hint}")


def _labels(row: Printed) -> tuple[str, ...]:
    """``figure-6.7`` and ``6.7``; a table by its whole label only."""
    kind, _, number = row.label.lower().replace(", ", "-").partition(" ")
    return (f"{kind}-{number}", number) if kind == "figure" else (f"{kind}-{number}",)


def _why(row: Printed) -> str:
    if row.status is Status.FORMULAS:
        return f"{row.status}, in {row.entry}"
    return f"{row.status}, {row.note}" if row.note else str(row.status)
