"""What a pack gets of the cluster, and where runs are kept."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from trainables.family import Config, require

__all__ = ["ResourceSpec", "TrackingSpec"]


@dataclass(frozen=True)
class ResourceSpec(Config):
    """What one pack gets of the cluster.

    ``gpus`` left open means one if the cluster has any. ``pack`` caps the trials in a pack; left open, trials are
    spread over all slots. A pack that dies is started again ``retries`` times. ``storage`` holds the checkpoints and
    must be seen by every node; left open, it lies in the data folder.
    """

    cpus: float = 1.0
    gpus: float | None = None
    pack: int | None = None
    retries: int = 2
    storage: str | None = None

    def check(self) -> None:
        """There is something to run on."""
        require(0 < self.cpus < inf, f"resources.cpus must be positive, got {self.cpus:g}")
        require(self.gpus is None or 0 <= self.gpus < inf, f"resources.gpus must be ≥ 0, got {self.gpus}")
        require(self.pack is None or self.pack >= 1, f"resources.pack must be ≥ 1, got {self.pack}")
        require(self.retries >= 0, f"resources.retries must be ≥ 0, got {self.retries}")


@dataclass(frozen=True)
class TrackingSpec(Config):
    """Where runs are kept; ``uri`` defaults to ``$MLFLOW_TRACKING_URI``, else to SQLite in the data folder."""

    uri: str | None = None
    experiment: str = "tradeoff-explorer"
