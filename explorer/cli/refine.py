"""``tradeoff refine RUN``: what a sampling budget buys of a trained model, and what it costs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from explorer import api
from explorer.cli.budget_table import print_budgets
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
from explorer.cli.target import check_page

__all__ = ["refine"]


def refine(
    run: Run,
    trial: Trial = None,
    method: Method = "obrs",
    budgets: Annotated[
        str, typer.Option("--budgets", help="K with commas: draws for one sample.")
    ] = "1,2,4,8",
    samples: Annotated[
        int | None, typer.Option("--samples", help="Samples at every K; as many as the trial was read with.")
    ] = None,
    ratio: RatioFrom = "critic",
    calibration: Calibration = None,
    changes: Changes = None,
    seed: Seed = 0,
    device: Device = "auto",
    log: Annotated[
        bool, typer.Option("--log/--no-log", help="Store what is found in the trial's MLflow run.")
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    html: Annotated[Path | None, typer.Option("--html", help="Write a self-contained page here.")] = None,
    critic: Critic = None,
    real: Real = None,
    latent: Latent = None,
    scores: Scores = "logit",
    tracking_uri: TrackingUri = None,
    experiment: Experiment = None,
) -> None:
    """Read a trained trial through a refinement at budgets K: metrics, what theory foretold, calls and seconds."""
    from explorer.refining import parse_budgets

    asked = parse_budgets(budgets)
    found, identity = named_model(run, trial, tracking_uri, experiment)
    if html is not None:
        read = () if isinstance(found, api.Results) else (Path(found).expanduser(), critic, real)
        check_page(html, *(place for place in read if place is not None))
    with told(f"{method}: reading the trial") as stage:
        last = [""]

        def hear(text: str) -> None:
            last[0] = text
            stage(text)

        done = api.refine(
            found,
            identity,
            method,
            asked,
            samples,
            seed,
            ratio,
            calibration,
            device,
            changes_of(changes),
            log,
            hear,
            critic=critic,
            real=real,
            latent=latent_of(latent),
            scores=scores,
        )
    if log and identity is not None:
        print(last[0], file=sys.stderr)
    if as_json:
        print(json.dumps(done.document(), indent=2, ensure_ascii=False, allow_nan=False))
    else:
        print_budgets(done)
    if html is not None:  # last, so that a full disk costs nothing but the page
        from explorer.refining.page import write_page

        write_page(done, html)
        print(f"page written to {html}", file=sys.stderr)
