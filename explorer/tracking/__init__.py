"""The only writer of MLflow, and the names under which it writes."""

from explorer.tracking.connection import TrackingUnavailable
from explorer.tracking.memory import Known
from explorer.tracking.schema import metric_key, parse_metric_key
from explorer.tracking.tracker import Tracker

__all__ = ["Known", "Tracker", "TrackingUnavailable", "metric_key", "parse_metric_key"]
