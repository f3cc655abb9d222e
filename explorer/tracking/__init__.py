"""The only writer of MLflow."""

from explorer.tracking.entries import Data, TrialRun
from explorer.tracking.lease import Lease, LeaseLost
from explorer.tracking.spool import Spool, waiting_entries
from explorer.tracking.tracker import Tracker

__all__ = ["Data", "Lease", "LeaseLost", "Spool", "Tracker", "TrialRun", "waiting_entries"]
