"""A measurement of everything that takes a second."""

from __future__ import annotations

from dataclasses import replace

from explorer.measure import MeasureSettings, all_metrics
from trainables.metrics.prd import Prd

__all__ = ["FAST"]

FAST = MeasureSettings(
    draws=100,
    device="cpu",
    metrics=tuple(replace(m, runs=2, clusters=8) if isinstance(m, Prd) else m for m in all_metrics()),
)
