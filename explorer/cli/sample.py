"""``tradeoff sample RUN``: samples of a trained model at a sampling budget, as a file or a folder of images."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from explorer import api
from explorer.cli.progress import told
from explorer.cli.refining import (
    Calibration,
    Changes,
    Critic,
    Device,
    Experiment,
    Latent,
    Method,
    RatioFrom,
    Real,
    Run,
    Scores,
    Seed,
    TrackingUri,
    Trial,
    changes_of,
    latent_of,
    named_model,
)

__all__ = ["sample"]


def sample(
    run: Run,
    trial: Trial = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="A .npz file, or a new folder for images.")
    ] = None,
    n: Annotated[int, typer.Option("-n", "--samples", help="How many samples.")] = 64,
    method: Method = "obrs",
    budget: Annotated[
        float, typer.Option("--budget", help="K: draws for one sample; 1 is the model as it is.")
    ] = 1,
    label: Annotated[int | None, typer.Option("--label", help="The class of all samples.")] = None,
    ratio: RatioFrom = "critic",
    calibration: Calibration = None,
    changes: Changes = None,
    seed: Seed = 0,
    device: Device = "auto",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print how they were made as one JSON object.")
    ] = False,
    critic: Critic = None,
    real: Real = None,
    latent: Latent = None,
    scores: Scores = "logit",
    tracking_uri: TrackingUri = None,
    experiment: Experiment = None,
) -> None:
    """Draw samples of a trained trial at budget K; they are written while they are drawn, in constant memory."""
    from explorer.errors import UserError

    if out is None:
        raise UserError("samples need a place; give --out FILE.npz, or --out FOLDER for images")
    found, identity = named_model(run, trial, tracking_uri, experiment)
    with told(f"{method}: loading the model") as stage:
        made = api.sample(
            found,
            identity,
            out,
            n,
            method,
            budget,
            seed,
            label,
            ratio,
            calibration,
            device,
            changes_of(changes),
            stage,
            critic=critic,
            real=real,
            latent=latent_of(latent),
            scores=scores,
        )
    if as_json:
        print(json.dumps(made, indent=2, ensure_ascii=False))
        return
    ledger = made["ledger"]
    each = ledger["per_sample"]
    ended = (
        "" if ledger["samples"] == made["asked"] else f" of {made['asked']:,}, then the draws came to an end"
    )
    print(
        f"{ledger['samples']:,} samples in {out}{ended}; each took {each['draws']:.4g} draws, "
        f"{each['scores']:.4g} scores, {each['gradients']:.4g} gradients and {1000 * each['seconds']:.3g} ms"
    )
