"""How trials end: settled with metrics or a reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["Settled"]


@dataclass(frozen=True)
class Settled:
    """A trial that is over: its metrics, empty if it failed."""

    metrics: Mapping[str, float]
    reason: str | None = None
