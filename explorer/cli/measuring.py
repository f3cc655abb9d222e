"""Options of commands that measure samples, worded once."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Classifier", "Device", "Features", "Metrics", "Neighbours", "Seed"]

Features = Annotated[
    str | None,
    typer.Option(
        "--features", help="identity, inception[=FILE], vgg16[=FILE], classifier, or a TorchScript file."
    ),
]
Metrics = Annotated[str | None, typer.Option("--metrics", help="Names with commas; default all.")]
Neighbours = Annotated[int, typer.Option("--k", help="Neighbours of the k-NN metrics.")]
Classifier = Annotated[
    str,
    typer.Option(
        "--classifier",
        help="Classifier of real against fake: ensemble (of linear ones), logistic, mlp or knn.",
    ),
]
Device = Annotated[str, typer.Option("--device", help="auto, cpu, cuda or cuda:N.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of clusters, classifier and intervals.")]
