"""The only writer of MLflow."""

from explorer.tracking.drain import Drain
from explorer.tracking.entries import Data, Summary, TrialRun
from explorer.tracking.lease import Lease, LeaseLost
from explorer.tracking.spool import Spool, waiting_entries
from explorer.tracking.tracker import Tracker

__all__ = [
    "Data",
    "Drain",
    "Lease",
    "LeaseLost",
    "Spool",
    "Summary",
    "Tracker",
    "TrialRun",
    "waiting_entries",
]
