"""A store with a sweep whose trials have models: three λ, two seeds each, and a trial that is not over."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from explorer.results.store import ResultStore
from explorer.results.table import Trial
from explorer.tracking import Tracker
from tests.stores import empty_store

__all__ = ["SWEEP", "modelled_store", "trial_of"]

SWEEP = "ring"
EMPTY = {"MLmodel": b"{}"}
PLACES = {0.5: (0.9, 0.5), 1.0: (0.8, 0.8), 2.0: (0.4, 0.9)}
"""Precision and recall by λ; a second seed lies 0.02 beside."""


def modelled_store(folder: Path, model: Mapping[str, bytes] = EMPTY) -> str:
    """Its address; trials of the first seed have a model, one that nobody loads if none is given."""
    uri = empty_store(folder)
    tracker = Tracker(uri, "tests")
    tracker.open_sweep(SWEEP, {"precision": "max", "recall": "max"}, "", "name: ring\n", "{}")
    files = {f"model/{name}": content for name, content in model.items()}
    for lam, (precision, recall) in PLACES.items():
        for seed in (0, 1):
            trial, off = f"aaaa{int(10 * lam):02d}{seed}", 0.02 * seed
            tracker.start([(trial, {"objective.lam": lam, "seed": seed})])
            metrics = {"precision": precision + off, "recall": recall - off, "precision.low": 0.1}
            tracker.log(
                trial,
                8,
                {**metrics, "precision.high": 0.95, "obrs/2/precision": 0.9, "obrs/2/recall": recall},
            )
            if seed == 0:
                tracker.artifacts(trial, files)
            tracker.finish(trial)
    tracker.start([("bbbb000", {"objective.lam": 9.0, "seed": 0})])
    return uri


def trial_of(uri: str, identity: str) -> Trial:
    """As a reader finds it."""
    return next(trial for trial in ResultStore(uri).table(SWEEP) if trial.id == identity)
