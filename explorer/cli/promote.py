"""``tradeoff promote SWEEP TRIAL``: mark a trial for whoever looks later."""

from __future__ import annotations

from typing import Annotated

import typer

from explorer import api
from explorer.errors import UserError

__all__ = ["promote"]


def promote(
    sweep: Annotated[str, typer.Argument(help="Name of the sweep.")],
    trial: Annotated[str, typer.Argument(help="Identity of the trial, or how it begins.")],
    tag: Annotated[str, typer.Option("--tag", help="The word to mark it by.")] = "champion",
    undo: Annotated[bool, typer.Option("--undo", help="Take the mark away.")] = False,
    tracking_uri: Annotated[
        str | None, typer.Option("--tracking-uri", help="MLflow store to write to.")
    ] = None,
    experiment: Annotated[str | None, typer.Option("--experiment", help="Look into this one only.")] = None,
) -> None:
    """Mark a trial as promoted, in its run's tag tradeoff.promoted."""
    found = api.results(sweep, tracking_uri, experiment)
    chosen = found[trial]
    from explorer import promotion

    if undo:
        before = promotion.demote(found.store.uri, chosen.run_id)
        if before is None:
            raise UserError(f"trial {chosen.id} of sweep '{sweep}' is not promoted, so nothing is undone")
        print(f"{chosen.id} is no longer {before.tag}")
        return
    if chosen.status != "finished":
        raise UserError(
            f"a trial is promoted once it is finished, and {chosen.id} of sweep '{sweep}' is {chosen.status}; "
            "choose another, or let it finish"
        )
    made = promotion.promote(found.store.uri, chosen.run_id, tag)
    print(f"{chosen.id} is {made.tag}")
