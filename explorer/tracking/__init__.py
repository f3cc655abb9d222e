"""The only writer of MLflow."""

from explorer.tracking.lease import Lease, LeaseLost
from explorer.tracking.tracker import Tracker

__all__ = ["Lease", "LeaseLost", "Tracker"]
