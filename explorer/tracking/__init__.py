"""The only writer of MLflow."""

from explorer.tracking.tracker import Tracker

__all__ = ["Tracker"]
