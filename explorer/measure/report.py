"""Every metric of two feature arrays, each number with its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from explorer.errors import UserError
from explorer.measure.extraction import Stage, StoredReference
from explorer.measure.settings import MeasureSettings, metric_words

if TYPE_CHECKING:
    import pandas as pd
    from torch import Tensor

    from trainables.measures import BallCounts
    from trainables.metrics.metric import Scores
    from trainables.precision_recall import PRCurve

__all__ = ["Measurement", "check_orders", "measure_features"]


@dataclass
class Measurement:
    """Numbers ready for JSON, and what is behind them: curves for drawing, counts for scores by class.

    ``left_out`` has the reason for every metric that is null.
    """

    values: dict[str, Any] = field(default_factory=dict)
    curves: dict[str, PRCurve] = field(default_factory=dict)
    counts: BallCounts | None = None
    left_out: dict[str, str] = field(default_factory=dict)

    def to_pandas(self) -> pd.DataFrame:
        """A row per number, by name (``precision``, ``prd.f8``): value, and low and high end of its interval."""
        import pandas as pd

        from explorer.measure.page import rows

        frame = pd.DataFrame(rows(self.values), columns=["metric", "value", "low", "high"])
        return frame.set_index("metric")


def measure_features(
    real: Tensor,
    fake: Tensor,
    logits: Tensor | None,
    settings: MeasureSettings,
    reference: StoredReference,
    stage: Stage,
) -> Measurement:
    """The metrics of ``fake`` (M, d) against ``real`` (N, d); ``logits`` are those of the fakes, for IS.

    A metric that needs more than there is is None among "all metrics"; asked for by name, it is an error.
    """
    from trainables.measures.arrays import as_features, check_pair
    from trainables.metrics.pair import Pair

    real, fake = check_pair(as_features(real, "REAL"), as_features(fake, "FAKE"))
    for features, side in ((real, "REAL"), (fake, "FAKE")):
        _check_magnitude(features, side)
    chosen = settings.chosen()
    orders = check_orders(settings, len(real), len(fake))
    pair = Pair(
        real,
        fake,
        k=settings.k,
        orders=orders,
        logits=logits,
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
                raise UserError(
                    f"{scores.left_out}; use images with an extractor that has them, or leave it out"
                )
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


def _check_magnitude(features: Tensor, side: str) -> None:
    """Squared distances ‖x-y‖² ≤ 4d·max|x|² stay finite in the features' own precision."""
    import torch

    largest = float(features.abs().max())
    most = math.sqrt(torch.finfo(features.dtype).max / (4 * features.shape[1]))
    if largest > most:
        raise UserError(
            f"{side} must hold numbers up to {most:.1e}, or their distances overflow {features.dtype}, "
            f"got {largest:.1e}; rescale the features"
        )


def check_orders(settings: MeasureSettings, real: int, fake: int) -> tuple[int, ...]:
    """The neighbours that are looked at, rising; raise unless every one of so many samples has them."""
    orders = tuple(sorted({order for metric in settings.chosen() for order in metric.orders(settings.k)}))
    if orders and max(orders) >= min(real, fake):
        further = [m.name for m in settings.chosen() if max(m.orders(settings.k), default=0) > settings.k]
        why = f" ({', '.join(further)} looks at more than k neighbours)" if further else ""
        raise UserError(
            f"k={settings.k} needs more than {max(orders)} samples on both sides{why}, "
            f"got {real} real and {fake} fake; use more samples or a smaller k"
        )
    return orders


def _take(found: Measurement, scores: Scores, settings: MeasureSettings) -> None:
    """Numbers by key, ``prd.f8`` as a number inside ``prd``."""
    for key, value in scores.values.items():
        if not settings.wants(key):
            continue
        low, high = scores.intervals[key]
        if not all(map(math.isfinite, (value, low, high))):
            raise UserError(
                f"{key} must be finite with its interval, got {value:g} in [{low:g}, {high:g}]: the features are too "
                "large for it; rescale them, or leave it out of the metrics"
            )
        number = {"value": value, "ci": [low, high]}
        outer, _, inner = key.partition(".")
        if inner:
            found.values.setdefault(outer, {})[inner] = number
        else:
            found.values[outer] = number
    found.curves |= scores.curves
