"""``tradeoff sweep FILE|PRESET``: plan a sweep, run it, go on with it."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from explorer.launch.plan import Plan
    from explorer.launch.run import Outcome

__all__ = ["sweep"]


def sweep(
    source: Annotated[
        str, typer.Argument(metavar="FILE|PRESET", help="A sweep file, or the name of a preset.")
    ],
    assignments: Annotated[
        list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Change a field; may be repeated.")
    ] = None,
    trials: Annotated[int | None, typer.Option(help="At most so many trials.")] = None,
    seeds: Annotated[int | None, typer.Option(help="Seeds per point: 0, 1, … N-1.")] = None,
    address: Annotated[
        str | None,
        typer.Option(help="A running Ray cluster, e.g. auto or HOST:6379; else Ray runs embedded."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan; start nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print plan or outcome as JSON.")] = False,
) -> None:
    """Run a sweep. Running it again continues it: finished trials are kept, unfinished ones go on."""
    from rich.console import Console

    from explorer.sweep import load_sweep

    loaded = load_sweep(source, assignments or (), trials, seeds)
    console = Console(stderr=True)
    if dry_run:
        from explorer.launch.earlier import earlier_trials
        from explorer.launch.plan import make_plan

        plan = make_plan(loaded, earlier_trials(loaded))
        if as_json:
            print(json.dumps(plan.document(), indent=2))
        else:
            _print_plan(console, plan)
        return
    from explorer.launch.run import run_sweep

    outcome = run_sweep(loaded, console, address, lambda plan: _print_plan(console, plan))
    if as_json:
        print(json.dumps({**asdict(outcome), "unfinished": outcome.unfinished}, indent=2))
    _print_outcome(console, outcome)
    if outcome.interrupted:
        sys.exit(130)
    if outcome.failed and not outcome.finished:
        sys.exit(1)


def _print_plan(console: Console, plan: Plan) -> None:
    sizes = [len(pack.trials) for pack in plan.packs]
    parts = [f"{plan.trials} trials"]
    if plan.done:
        parts.append(f"{plan.done} already done")
    if plan.diverged:
        parts.append(f"{plan.diverged} diverged before")
    if plan.resumed:
        parts.append(f"{plan.resumed} to go on from a checkpoint")
    if plan.read:
        parts.append(f"{plan.read} to be read again, without training")
    if sizes:
        packs = f"{len(sizes)} pack{'s' if len(sizes) > 1 else ''} of {min(sizes)}"
        parts.append(packs if min(sizes) == max(sizes) else f"{packs} to {max(sizes)}")
    if plan.iterations:
        parts.append(f"{plan.iterations:,} iterations in all")
    if plan.seconds is not None:
        parts.append(f"about {_duration(plan.seconds)} on this machine's cores")
    console.print(f"[bold]sweep {plan.sweep}[/]: " + ", ".join(parts), highlight=False, soft_wrap=True)
    if plan.renamed:
        console.print(f"[dim]{plan.renamed} trials of an older layout were found again[/]", highlight=False)
    if plan.lost:
        console.print(
            f"[dim]{plan.lost} trials are of an older layout and stay in the table as they are[/]",
            highlight=False,
        )
    if plan.outside:
        console.print(
            f"[dim]{plan.outside} earlier trials of this sweep lie outside the present plan and stay in its table[/]",
            highlight=False,
        )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _print_outcome(console: Console, outcome: Outcome) -> None:
    name = outcome.sweep
    if outcome.interrupted:
        console.print(
            f"interrupted: {outcome.finished} of {outcome.trials} trials finished; "
            f"the same command continues with the other {outcome.unfinished}",
            highlight=False,
        )
        return
    failed = f", [red]{outcome.failed} failed[/]" if outcome.failed else ""
    console.print(
        f"sweep {name} is complete: {outcome.finished} trials finished{failed}; next: tradeoff front {name}",
        highlight=False,
    )
