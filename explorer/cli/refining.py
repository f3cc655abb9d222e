"""Options of commands that refine trained models, worded once, and the trial that is meant."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from explorer import api

__all__ = [
    "Calibration",
    "Changes",
    "Critic",
    "Device",
    "Experiment",
    "Latent",
    "Method",
    "RatioFrom",
    "Real",
    "Run",
    "Scores",
    "Seed",
    "TrackingUri",
    "Trial",
    "changes_of",
    "latent_of",
    "named_model",
]

Run = Annotated[
    str,
    typer.Argument(
        help="The MLflow run or identity of a finished trial, or its sweep before it; or a model in files."
    ),
]
Trial = Annotated[str | None, typer.Argument(help="Identity of the trial in that sweep, or how it begins.")]
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
Critic = Annotated[
    Path | None, typer.Option("--critic", help="Of a TorchScript generator: its critic, TorchScript too.")
]
Real = Annotated[
    Path | None, typer.Option("--real", help="Of a model in files: real samples, .npz or a folder of images.")
]
Latent = Annotated[
    str | None,
    typer.Option("--latent", help="Of a TorchScript generator: the shape of a latent, 128 or 100,1,1."),
]
Scores = Annotated[
    str, typer.Option("--scores", help="Of a model in files: what scores are: logit, probability or ratio.")
]


def latent_of(text: str | None) -> list[int] | None:
    """``100,1,1`` → a shape."""
    from explorer.errors import UserError, shown

    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise UserError(
            f"a latent's shape is whole numbers with commas, such as 100,1,1, got {shown(text)}"
        ) from None


def changes_of(texts: list[str] | None) -> dict[str, Any]:
    """``path=value`` texts as values by path."""
    from explorer.sweep.document import assignment

    return dict(assignment(text) for text in texts or ())


def named_model(
    run: str, trial: str | None, tracking_uri: str | None, experiment: str | None
) -> tuple[api.Results | str, str | None]:
    """The sweep that is meant and the identity of its trial; of a model in files its path, and no trial."""
    from explorer.refining.file_subject import is_model

    if trial is None and is_model(run):
        return run, None
    if trial is not None:
        return api.results(run, tracking_uri, experiment), trial
    from explorer.registration import find_trial
    from explorer.results.store import ResultStore
    from explorer.store.addresses import asked_address

    sweep, identity = find_trial(ResultStore(asked_address(tracking_uri), experiment), run)
    return api.results(sweep, tracking_uri, experiment), identity
