"""``tradeoff doctor [SWEEP]``: what could keep sweeps from running here, and what broken ones left."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from explorer.doctor import Finding

__all__ = ["doctor"]

_MARKS = {"ok": ("✓", "green"), "note": ("!", "yellow"), "problem": ("✗", "red")}


def doctor(
    sweep: Annotated[str | None, typer.Argument(help="Look at this sweep only; at all if not given.")] = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Repair what can be repaired, saying each thing.")
    ] = False,
    deep: Annotated[bool, typer.Option("--deep", help="Also load torch and start or join Ray.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    address: Annotated[
        str | None, typer.Option(help="The Ray cluster to look for; else RAY_ADDRESS, if set.")
    ] = None,
    tracking_uri: Annotated[
        str | None, typer.Option("--tracking-uri", help="MLflow store to look at.")
    ] = None,
    experiment: Annotated[str | None, typer.Option("--experiment", help="Look into this one only.")] = None,
) -> None:
    """Check installation, machine, store and sweeps. Ends with code 1 if a problem is left."""
    from rich.console import Console

    from explorer.cli.progress import told
    from explorer.doctor import Subject, examine
    from explorer.store.addresses import asked_address

    if address is not None:
        from explorer.launch.addresses import check_address

        check_address(address)
    with told("looking at this machine") as tell:
        uri = asked_address(tracking_uri)
        subject = Subject(uri, experiment, sweep, address, deep, tell=tell)
        found = [*examine(subject)]
        mended = _mend(found) if fix else []
        if mended:
            found = [*examine(subject)]
    if as_json:
        document = {"findings": [one.document() for one in found], "mended": mended}
        print(json.dumps(document, ensure_ascii=False, indent=2))
    else:
        _print(Console(), found)
    if any(finding.state == "problem" for finding in found):
        sys.exit(1)


def _mend(found: Sequence[Finding]) -> list[str]:
    """Repair one after the other, each told before and after; one that cannot be does not hinder the next."""
    from explorer.errors import UserError

    mended: list[str] = []
    for finding in found:
        if finding.repair is None:
            continue
        print(f"repairing: {finding.sentence}", file=sys.stderr, flush=True)
        try:
            done = finding.repair()
        except (UserError, OSError) as error:
            print(f"  left as it is: {error}", file=sys.stderr, flush=True)
            continue
        print(f"  done: {done}", file=sys.stderr, flush=True)
        mended.append(done)
    return mended


def _print(console: Console, found: Sequence[Finding]) -> None:
    """A row a finding: mark, what it is about, the sentence, and below it what can be done."""
    from rich.table import Table
    from rich.text import Text

    from explorer.words import counted

    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=False)
    table.add_column(width=1, no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", ratio=1)
    for finding in found:
        mark, colour = _MARKS[finding.state]
        told = Text(finding.sentence)
        if finding.remedy and finding.state != "ok":
            told.append(f"\n→ {finding.remedy}", style="dim")
        table.add_row(Text(mark, style=colour), Text(finding.about, style="bold"), told)
    console.print(table)
    problems, notes = (sum(one.state == state for one in found) for state in ("problem", "note"))
    last = counted(problems, "problem") if problems else "nothing is wrong"
    last += f", {counted(notes, 'note')}" if notes else ""
    if any(one.repair is not None for one in found):
        last += "; --fix repairs what can be repaired"
    console.print(Text(last, style="bold"))
