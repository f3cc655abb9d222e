"""Metrics: what generated samples are worth, measured against real ones. One file each; torch-free until asked."""

from trainables.family import Family
from trainables.metrics.metric import Entry, Metric, Scores

__all__ = ["METRICS", "Entry", "Metric", "Scores", "every_metric", "everyday_metrics"]

METRICS: Family[Metric] = Family("metric", Metric, __name__, default="neighbours")
"""Every metric by name."""


def every_metric() -> tuple[Metric, ...]:
    """All that are here with their defaults, the everyday ones first; installed packages are left alone."""
    kinds = list(METRICS.loaded().values())
    return tuple(
        kind() for kind in sorted(kinds, key=lambda kind: (kind.everyday is None, kind.everyday or 0))
    )


def everyday_metrics(logits: bool = False) -> tuple[Metric, ...]:
    """What a sweep measures unless it says otherwise, on features that come with or without ``logits``."""
    return tuple(
        metric
        for metric in every_metric()
        if metric.everyday is not None and (logits or "logits" not in metric.needs)
    )
