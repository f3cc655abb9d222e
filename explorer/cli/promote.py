"""``tradeoff promote``: mark a trial for whoever looks later, or register its model in MLflow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from explorer import api
from explorer.errors import UserError

if TYPE_CHECKING:
    from explorer.results.table import Trial

__all__ = ["promote"]


def promote(
    sweep: Annotated[
        str | None, typer.Argument(help="Name of the sweep; or the MLflow run or identity of a trial, alone.")
    ] = None,
    trial: Annotated[str | None, typer.Argument(help="Identity of the trial, or how it begins.")] = None,
    name: Annotated[
        str | None, typer.Option("--name", help="Register its model in MLflow under this name.")
    ] = None,
    alias: Annotated[
        str | None, typer.Option("--alias", help="Alias of the registered version, such as champion.")
    ] = None,
    knee: Annotated[
        str | None, typer.Option("--knee", help="Take the knee of this sweep's front.", metavar="SWEEP")
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            "--at", help="Take the best that has this metric or better: recall=0.8.", metavar="METRIC=VALUE"
        ),
    ] = None,
    budget: Annotated[
        float | None, typer.Option("--budget", help="Read trials at budget K; 1 if not given.")
    ] = None,
    method: Annotated[
        str | None, typer.Option("--method", help="Refinement to read through; the first one if not given.")
    ] = None,
    tag: Annotated[
        str | None,
        typer.Option("--tag", help="The word to mark it by, without --name; champion if not given."),
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take the mark away.")] = False,
    tracking_uri: Annotated[
        str | None, typer.Option("--tracking-uri", help="MLflow store to write to.")
    ] = None,
    experiment: Annotated[str | None, typer.Option("--experiment", help="Look into this one only.")] = None,
) -> None:
    """Mark a trial in its run's tag tradeoff.promoted; with --name register its model in MLflow instead."""
    _check_wish(name, alias, tag, undo)
    _check_picking(name, knee, at, budget, method)
    if name is not None:
        from explorer.registration import check_names

        check_names(name, alias)
    of, chosen_by = _named(sweep, trial, knee, at, tracking_uri, experiment)
    found = api.results(of, tracking_uri, experiment)
    chosen = (
        found[chosen_by]
        if chosen_by is not None
        else _picked(found, at, 1.0 if budget is None else budget, method)
    )
    if name is None:
        _mark(found, chosen, tag or "champion", undo)
        return
    made = api.promote(found, chosen.id, name, alias, 1.0 if budget is None else budget, method)
    known = f"version {made.version} of {made.name}" + (f", alias {alias}" if alias else "")
    print(f"{chosen.id} is {known}" + ("" if made.made else " as before"))


def _check_wish(name: str | None, alias: str | None, tag: str | None, undo: bool) -> None:
    if alias is not None and name is None:
        raise UserError("--alias belongs to a registered model; give its name with --name")
    if undo and name is not None:
        raise UserError("--undo takes a mark away and registers nothing; leave out --name")
    if tag is not None and name is not None:
        raise UserError(
            "--tag is the word of a mark, and --name registers a model instead; leave one of them out"
        )
    if tag is not None and undo:
        raise UserError("--undo takes a mark away whatever its word; leave out --tag")


def _check_picking(
    name: str | None, knee: str | None, at: str | None, budget: float | None, method: str | None
) -> None:
    if knee is not None and at is not None:
        raise UserError("--knee and --at each pick a trial of their own; leave one of them out")
    if knee is None and at is None and name is None and (budget is not None or method is not None):
        raise UserError(
            "--budget and --method say at which reading a trial is picked or registered, and a mark has none; leave "
            "them out, or give --name, --knee or --at"
        )


def _named(
    sweep: str | None,
    trial: str | None,
    knee: str | None,
    at: str | None,
    tracking_uri: str | None,
    experiment: str | None,
) -> tuple[str, str | None]:
    """The sweep that is meant, and the trial, where it is not to be picked by what was measured."""
    if knee is not None or at is not None:
        if trial is not None or (knee is not None and sweep is not None):
            raise UserError("--knee and --at pick the trial themselves; name the sweep alone")
        picked = knee if knee is not None else sweep
        if picked is None:
            raise UserError("--at needs a sweep to pick from; write tradeoff promote SWEEP --at recall=0.8")
        return picked, None
    if sweep is None:
        raise UserError(
            "a trial must be named to be promoted; write tradeoff promote SWEEP TRIAL, or --knee SWEEP"
        )
    if trial is not None:
        return sweep, trial
    from explorer.registration import find_trial
    from explorer.results.store import ResultStore
    from explorer.store.addresses import asked_address

    return find_trial(ResultStore(asked_address(tracking_uri), experiment), sweep)


def _picked(found: api.Results, bound: str | None, budget: float, method: str | None) -> Trial:
    from explorer.pareto.picking import best_within, knee_trial, parse_bound

    reading = found.table.reading_at(budget, method)
    return (
        knee_trial(found.table, reading)
        if bound is None
        else best_within(found.table, parse_bound(bound), reading)
    )


def _mark(found: api.Results, chosen: Trial, tag: str, undo: bool) -> None:
    """Set the mark of a trial, or take it away."""
    from explorer import promotion

    sweep = found.table.sweep
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
