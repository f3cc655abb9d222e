"""What a pack gets of the cluster, and where runs are kept."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Literal

from explorer.storage import check_storage
from explorer.store.addresses import check_address, check_password
from trainables.family import Config, at_most, require

__all__ = ["ResourceSpec", "TrackingSpec"]

LEAST_SHARE = 0.001
MOST_PARTS = 10_000
"""Of a core or card the smallest part, of cores, cards, trials in a pack or retries the most, that can be meant."""

LONGEST_EXPERIMENT = 250
LARGEST_MODEL = 100_000
"""MB."""


@dataclass(frozen=True)
class ResourceSpec(Config):
    """What one pack gets of the cluster.

    ``gpus`` left open means one if the cluster has any. ``pack`` caps the trials in a pack; left open, trials are
    spread over all slots. A trial whose process dies is started again ``retries`` times; more than ``failures`` failed
    trials end the sweep, left open none do. ``storage`` holds the checkpoints: a folder that every node sees, or an
    object store; left open, it is a folder in the data folder.
    """

    cpus: float = 1.0
    gpus: float | None = None
    pack: int | None = None
    retries: int = 2
    failures: int | None = None
    storage: str | None = None

    def check(self) -> None:
        """There is something to run on."""
        require(0 < self.cpus < inf, f"resources.cpus must be positive, got {self.cpus:g}")
        require(self.gpus is None or 0 <= self.gpus < inf, f"resources.gpus must be ≥ 0, got {self.gpus}")
        for name, part in (("cpus", self.cpus), ("gpus", self.gpus)):
            require(
                not part or part >= LEAST_SHARE,
                f"resources.{name} must be at least {LEAST_SHARE}, got {part}",
            )
        require(
            not self.gpus or self.gpus <= 1 or self.gpus == int(self.gpus),
            f"resources.gpus must be a part of one card or whole cards, got {self.gpus}",
        )
        require(self.pack is None or self.pack >= 1, f"resources.pack must be ≥ 1, got {self.pack}")
        require(self.retries >= 0, f"resources.retries must be ≥ 0, got {self.retries}")
        require(
            self.failures is None or self.failures >= 0,
            f"resources.failures must be ≥ 0, got {self.failures}",
        )
        for name in ("cpus", "gpus", "pack", "retries", "failures"):
            at_most(MOST_PARTS, **{f"resources.{name}": getattr(self, name) or 0})
        if self.storage is not None:
            check_storage("resources.storage", self.storage)


@dataclass(frozen=True)
class TrackingSpec(Config):
    """Where runs are kept; ``uri`` defaults to ``$MLFLOW_TRACKING_URI``, else to SQLite in the data folder.

    A server that is away costs a sweep nothing while it runs; at its end it is waited for, ``patience`` seconds.
    ``models``: of which trials a model is kept with the run, of all, of those on the front when they end, or of none;
    one of more than ``largest`` MB is left out.
    """

    uri: str | None = None
    experiment: str = "tradeoff-explorer"
    patience: float = 1800.0
    models: Literal["all", "front", "none"] = "all"
    largest: float = 200.0

    def check(self) -> None:
        """There could be such a store, and such an experiment in it."""
        require(
            self.experiment.isprintable() and 0 < len(self.experiment.strip()) <= LONGEST_EXPERIMENT,
            f"tracking.experiment must be a name of at most {LONGEST_EXPERIMENT} characters, got {self.experiment!r}",
        )
        require(0 <= self.patience < inf, f"tracking.patience must be ≥ 0 seconds, got {self.patience:g}")
        require(
            0 < self.largest <= LARGEST_MODEL,
            f"tracking.largest must be above 0 and at most {LARGEST_MODEL:,} MB, got {self.largest:g}; "
            "to keep no models use tracking.models: none",
        )
        if self.uri is not None:
            check_password("tracking.uri", self.uri)
            check_address("tracking.uri", self.uri)
