"""``tradeoff measure``: every metric of one sample set against another."""

from explorer.measure.command import measure_paths
from explorer.measure.page import write_page
from explorer.measure.report import Measurement, measure_features
from explorer.measure.settings import METRICS, MeasureSettings, parse_metrics

__all__ = [
    "METRICS",
    "MeasureSettings",
    "Measurement",
    "measure_features",
    "measure_paths",
    "parse_metrics",
    "write_page",
]
