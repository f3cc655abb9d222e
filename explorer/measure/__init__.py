"""``tradeoff measure``: every metric of one sample set against another."""

from explorer.measure.command import measure_paths
from explorer.measure.page import write_page
from explorer.measure.report import Measurement, measure_features
from explorer.measure.settings import (
    MeasureSettings,
    all_metrics,
    metric_words,
    parse_metrics,
    with_classifier,
)

__all__ = [
    "MeasureSettings",
    "Measurement",
    "all_metrics",
    "measure_features",
    "measure_paths",
    "metric_words",
    "parse_metrics",
    "with_classifier",
    "write_page",
]
