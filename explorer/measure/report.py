"""Every metric of two feature arrays, each number with its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from explorer.errors import UserError
from explorer.measure.extraction import Stage, StoredReference
from explorer.measure.inputs import check_magnitude
from explorer.measure.settings import MeasureSettings, metric_words

if TYPE_CHECKING:
    import pandas as pd
    from torch import Tensor

    from trainables.measures import BallCounts
    from trainables.metrics import Metric
    from trainables.metrics.metric import Scores
    from trainables.precision_recall import Frontier, PRCurve

__all__ = ["BESIDE", "Measurement", "check_metrics", "measure_features"]

BESIDE = frozenset({"curves", "modes", "settings"})
"""What a measurement has beside the numbers of metrics, by key."""


@dataclass
class Measurement:
    """Numbers ready for JSON, and what is behind them: curves for drawing, counts for scores by class.

    ``left_out`` has the reason for every metric that is null. ``frontiers`` are found by the key of their area.
    """

    values: dict[str, Any] = field(default_factory=dict)
    curves: dict[str, PRCurve] = field(default_factory=dict)
    frontiers: dict[str, Frontier] = field(default_factory=dict)
    counts: BallCounts | None = None
    left_out: dict[str, str] = field(default_factory=dict)

    def to_pandas(self) -> pd.DataFrame:
        """A row per number, by name (``precision``, ``prd.f8``): value, low and high end of its interval, and its kind.

        Ends are NaN and the kind is None where an interval is withheld.
        """
        import pandas as pd

        from explorer.measure.page import rows

        table = [
            (row.name, row.value, *(row.ends or (math.nan, math.nan)), row.kind) for row in rows(self.values)
        ]
        frame = pd.DataFrame(table, columns=["metric", "value", "low", "high", "interval"])
        return frame.set_index("metric")


def measure_features(
    real: Tensor,
    fake: Tensor,
    logits: Tensor | None,
    settings: MeasureSettings,
    reference: StoredReference,
    stage: Stage,
    real_logits: Tensor | None = None,
) -> Measurement:
    """The metrics of ``fake`` (M, d) against ``real`` (N, d); ``logits`` are those of the fakes, for IS and classes.

    A metric that needs more than there is is None among "all metrics"; asked for by name, it is an error.
    """
    from trainables.measures.arrays import as_features, check_pair
    from trainables.metrics.pair import Pair

    real, fake = check_pair(as_features(real, "REAL"), as_features(fake, "FAKE"))
    for features, side in ((real, "REAL"), (fake, "FAKE")):
        dtype = str(features.dtype).removeprefix("torch.")
        check_magnitude(side, float(features.abs().max()), features.shape[1], dtype)
    chosen = settings.chosen()
    orders = check_metrics(settings, len(real), len(fake), logits is not None)
    pair = Pair(
        real,
        fake,
        k=settings.k,
        orders=orders,
        logits=logits,
        real_logits=real_logits,
        seed=settings.seed,
        draws=settings.draws,
        level=settings.level,
        remember=reference.get,
        stage=stage,
    )
    found = Measurement()
    for metric in chosen:
        scores = metric.measure(pair)
        if scores.left_out is not None:
            if settings.words is not None:
                _check_whole(scores.left_out)
            for word in metric_words([metric]):
                found.values[word] = None
                found.left_out[word] = scores.left_out
            continue
        _take(found, scores, settings)
    if settings.k in orders and (
        settings.words is None or settings.wants("precision") or settings.wants("recall")
    ):
        found.counts = pair.balls(settings.k)
    return found


def check_metrics(settings: MeasureSettings, real: int, fake: int, logits: bool) -> tuple[int, ...]:
    """The neighbours that are looked at, rising; raise unless so many samples, with or without logits, allow all that
    is asked for. Among "all metrics" one that needs logits is left out where there are none."""
    orders = tuple(sorted({order for metric in settings.chosen() for order in metric.orders(settings.k)}))
    if orders and max(orders) >= min(real, fake):
        further = [m.name for m in settings.chosen() if max(m.orders(settings.k), default=0) > settings.k]
        why = f" ({', '.join(further)} looks at more than k neighbours)" if further else ""
        raise UserError(
            f"k={settings.k} needs more than {max(orders)} samples on both sides{why}, "
            f"got {real} real and {fake} fake; use more samples or a smaller k"
        )
    for metric in settings.chosen():
        _check_counts(metric, real, fake)
        if settings.words is not None:
            _check_whole(metric.left_out(logits))
    return orders


def _check_whole(left_out: str | None) -> None:
    """What was asked for by name is not left out."""
    if left_out is not None:
        raise UserError(f"{left_out}; use images with an extractor that has them, or leave it out")


def _check_counts(metric: Metric, real: int, fake: int) -> None:
    either, both = metric.least()
    if min(real, fake) < either or real + fake < both:
        least = (
            f"{either} samples in each set" if min(real, fake) < either else f"{both} samples in both sets"
        )
        raise UserError(
            f"{' and '.join(metric_words([metric]))} needs at least {least}, got {real} real and {fake} fake; "
            "use more samples, or leave it out"
        )


def _take(found: Measurement, scores: Scores, settings: MeasureSettings) -> None:
    """Numbers by key, ``prd.f8`` as a number inside ``prd``."""
    for key, value in scores.values.items():
        if not settings.wants(key):
            continue
        ends = scores.intervals.get(key)
        if not all(map(math.isfinite, (value, *(ends or ())))):
            inside = f" in [{ends[0]:g}, {ends[1]:g}]" if ends else ""
            raise UserError(
                f"{key} must be finite with its interval, got {value:g}{inside}: the features are too "
                "large for it; rescale them, or leave it out of the metrics"
            )
        outer, _, inner = key.partition(".")
        if inner:
            found.values.setdefault(outer, {})[inner] = _number(key, value, scores)
        else:
            found.values[outer] = _number(key, value, scores)
    found.curves |= scores.curves
    found.frontiers |= scores.frontiers


def _number(key: str, value: float, scores: Scores) -> dict[str, Any]:
    """A value with its interval and the interval's kind, or with the reason why it has none."""
    ends = scores.intervals.get(key)
    if ends is None:
        why = scores.withheld.get(key, "the metric gives no interval")
        return {"value": value, "ci": None, "interval": None, "withheld": why}
    low, high = ends
    return {"value": value, "ci": [low, high], "interval": scores.kinds.get(key, "given")}
