"""Options of commands that refine trained models, worded once, and the trial that is meant."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from explorer import api

__all__ = [
    "Calibration",
    "Changes",
    "Device",
    "Experiment",
    "Method",
    "RatioFrom",
    "Seed",
    "TrackingUri",
    "changes_of",
    "named_trial",
]

Method = Annotated[
    str,
    typer.Option(
        "--method",
        help="obrs, drs, rejection, mh, dot, dgflow, soft_truncation, hard_truncation, or one of your own.",
    ),
]
RatioFrom = Annotated[
    str,
    typer.Option(
        "--ratio",
        help="From what p/q is known: critic, density (of a flow, against a known law), or classifier, fitted now.",
    ),
]
Calibration = Annotated[
    str | None,
    typer.Option(
        "--calibration", help="Of the ratio: none, normalised, slope or isotonic; slope if left out."
    ),
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="PATH=VALUE", help="refinement.rate=0.01, dataset.root=/data; may be repeated."
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the draws.")]
Device = Annotated[str, typer.Option("--device", help="auto, cpu, cuda or cuda:N.")]
TrackingUri = Annotated[str | None, typer.Option("--tracking-uri", help="MLflow store where the run is.")]
Experiment = Annotated[str | None, typer.Option("--experiment", help="Look into this one only.")]


def changes_of(texts: list[str] | None) -> dict[str, Any]:
    """``path=value`` texts as values by path."""
    from explorer.sweep.document import assignment

    return dict(assignment(text) for text in texts or ())


def named_trial(
    run: str, trial: str | None, tracking_uri: str | None, experiment: str | None
) -> tuple[api.Results, str]:
    """The sweep that is meant with its trials, and the identity of the one to refine."""
    if trial is not None:
        return api.results(run, tracking_uri, experiment), trial
    from explorer.registration import find_trial
    from explorer.results.store import ResultStore
    from explorer.store.addresses import asked_address

    sweep, identity = find_trial(ResultStore(asked_address(tracking_uri), experiment), run)
    return api.results(sweep, tracking_uri, experiment), identity
