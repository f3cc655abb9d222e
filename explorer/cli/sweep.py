"""``tradeoff sweep FILE|PRESET``: plan a sweep, run it, go on with it."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from explorer.launch.plan import Plan
    from explorer.launch.progress import Style
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
        typer.Option(
            help="A running Ray cluster, e.g. auto or HOST:6379; else RAY_ADDRESS, else Ray runs embedded."
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan; start nothing.")] = False,
    progress: Annotated[
        str,
        typer.Option(help="How to show progress: auto, live, lines, json (a JSON object a line) or quiet."),
    ] = "auto",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but what went wrong.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print plan or outcome as JSON.")] = False,
) -> None:
    """Run a sweep. Running it again continues it: finished trials are kept, unfinished ones go on."""
    from rich.console import Console

    from explorer.sweep import load_sweep

    if address is not None:
        from explorer.launch.addresses import check_address

        check_address(address)
    style = _style("quiet" if quiet else progress)
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
    from explorer.launch.kept_report import keep_report
    from explorer.launch.run import run_sweep

    def announce(plan: Plan) -> None:
        if style == "json":
            _print_json(console, {"event": "plan", **plan.document()})
        elif style != "quiet":
            _print_plan(console, plan)

    outcome = run_sweep(loaded, console, address, announce, style)
    keep_report(loaded, outcome, lambda told: print(f"tradeoff: {told}", file=sys.stderr))
    if as_json:
        print(json.dumps({**asdict(outcome), "unfinished": outcome.unfinished}, indent=2))
    if style == "json":
        _print_json(console, {"event": "outcome", "text": outcome.sentence(), **asdict(outcome)})
    elif style != "quiet" or outcome.interrupted or outcome.halted or outcome.failed:
        _print_outcome(console, outcome)
    if outcome.halted is not None:
        sys.exit(1)
    if outcome.interrupted:
        sys.exit(130)
    if outcome.failed and not outcome.finished:
        sys.exit(1)


def _style(asked: str) -> Style:
    from explorer.errors import UserError
    from explorer.launch.progress import STYLES

    for style in STYLES:
        if style == asked:
            return style
    raise UserError(f"--progress must be {', '.join(STYLES[:-1])} or {STYLES[-1]}, got '{asked}'")


def _print_json(console: Console, document: dict[str, Any]) -> None:
    console.print(json.dumps(document, ensure_ascii=False), highlight=False, markup=False, soft_wrap=True)


def _print_plan(console: Console, plan: Plan) -> None:
    from rich.text import Text

    first, *rest = plan.sentences()
    line = Text(first)
    line.stylize("bold", 0, first.index(":"))
    console.print(line, highlight=False, soft_wrap=True)
    for other in rest:
        console.print(Text(other, style="dim"), highlight=False)


def _print_outcome(console: Console, outcome: Outcome) -> None:
    from rich.text import Text

    line = Text(outcome.sentence())
    line.highlight_regex(r"\d+ failed", "red")
    if not outcome.interrupted and outcome.halted is None:
        line.append(f"; next: tradeoff front {outcome.sweep}")
    console.print(line, highlight=False)
