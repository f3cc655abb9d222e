"""``tradeoff delete SWEEP``: a sweep goes to MLflow's trash, asked for twice; ``--undo`` brings it back."""

from __future__ import annotations

import shlex
import sys
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from explorer.errors import UserError, brief
from explorer.words import counted

if TYPE_CHECKING:
    from explorer.deletion import Deletion

__all__ = ["delete"]

NAMED = 6
"""Promoted trials and registered models that are named before they go."""


def delete(
    sweep: Annotated[str, typer.Argument(help="Name of the sweep.")],
    yes: Annotated[
        str | None,
        typer.Option(
            "--yes", metavar="NAME", help="The sweep's name once more, for scripts: nothing is asked."
        ),
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Bring back what was deleted last.")] = False,
    tracking_uri: Annotated[
        str | None, typer.Option("--tracking-uri", help="MLflow store to write to.")
    ] = None,
    experiment: Annotated[str | None, typer.Option("--experiment", help="Look into this one only.")] = None,
) -> None:
    """Move a sweep and all its trials to MLflow's trash, or back. Asks for the sweep's name before it does."""

    from explorer.store.addresses import asked_address

    uri = asked_address(tracking_uri)
    if undo:
        if yes is not None:
            raise UserError("--undo takes nothing away, so nothing is asked; leave --yes out")
        _undo(uri, sweep, experiment)
        return
    if yes is not None and yes != sweep:
        raise _unlike(sweep, yes)
    _delete(uri, sweep, experiment, yes is not None)


def _delete(uri: str, sweep: str, experiment: str | None, sure: bool) -> None:
    from explorer import deletion
    from explorer.cli.progress import told

    if not sure and not sys.stdin.isatty():
        # Before the store is read: a script learns at once that it must say so.
        raise UserError(
            f"a sweep is deleted by whoever says so twice, and nobody can be asked here; add --yes {shlex.quote(sweep)}"
        )
    with told(f"looking at sweep {brief(sweep)}"):
        plan = deletion.planned(uri, sweep, experiment)
    print(*_going(plan), sep="\n", flush=True)
    if not sure:
        typed = typer.prompt("Type the sweep's name to delete it", default="", show_default=False)
        if typed.strip() != sweep:
            raise _unlike(sweep, typed.strip())
    with told(f"deleting sweep {brief(sweep)}") as tell:
        gone = deletion.delete(plan, tell)
    print(*_gone(plan, gone), sep="\n")


def _undo(uri: str, sweep: str, experiment: str | None) -> None:
    from explorer import deletion
    from explorer.cli.progress import told

    with told(f"looking for sweep {brief(sweep)} in the trash") as tell:
        back = deletion.undo(uri, sweep, experiment, tell)
    print(f"sweep '{sweep}' is back in experiment '{back.experiment}', with {counted(back.trials, 'trial')}")


def _unlike(sweep: str, typed: str) -> UserError:
    return UserError(
        f"a sweep is deleted by typing its name, '{brief(sweep)}', and not '{brief(typed)}'; nothing was deleted"
    )


def _going(plan: Deletion) -> list[str]:
    """What would go, before it does."""
    from explorer.store.addresses import shown_address

    statuses = ", ".join(f"{count:,} {status}" for status, count in sorted(plan.statuses.items()))
    lines = [
        f"sweep '{plan.sweep}' of experiment '{plan.experiment}' in {shown_address(plan.uri)}",
        f"  {counted(len(plan.trials), 'trial')}{f' ({statuses})' if statuses else ''}, last touched "
        f"{plan.updated:%d %B %Y, %H:%M} UTC",
    ]
    if plan.begun:
        lines.append("  its deletion has begun before and was interrupted")
    if plan.promoted:
        lines.append(f"  promoted: {_some([f'{trial} ({word})' for trial, word in plan.promoted.items()])}")
    if plan.registered:
        lines.append(
            f"  registered models made from it: {_some(plan.registered)}; these stay, without their runs"
        )
    return lines


def _gone(plan: Deletion, gone: int) -> list[str]:
    """Where it is now, how it comes back, and what is still there."""
    from explorer.store.options import store_option

    options = store_option(plan.uri) + f" --experiment {shlex.quote(plan.experiment)}"
    return [
        f"sweep '{plan.sweep}' is in MLflow's trash, with {counted(gone, 'trial')}",
        f"  back again: tradeoff delete {shlex.quote(plan.sweep)} --undo{options}",
        "  for good: mlflow gc, which empties the trash",
        f"  checkpoints stay in {plan.checkpoints}: `tradeoff sweep` of the same file begins new runs and goes on "
        "from these, so that nothing is trained twice; remove the folders of its trials there to train anew",
    ]


def _some(words: list[str] | tuple[str, ...]) -> str:
    return ", ".join(islice(words, NAMED)) + (f" and {len(words) - NAMED} more" if len(words) > NAMED else "")
