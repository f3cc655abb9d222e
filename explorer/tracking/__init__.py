"""The only writer of MLflow."""

from explorer.tracking.intake import Intake
from explorer.tracking.lease import Lease, LeaseLost
from explorer.tracking.tracker import Tracker

__all__ = ["Intake", "Lease", "LeaseLost", "Tracker"]
