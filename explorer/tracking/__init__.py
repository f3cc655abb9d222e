"""The only writer of MLflow."""

from explorer.tracking.drain import Drain
from explorer.tracking.entries import Data, Summary, TrialRun
from explorer.tracking.intake import Intake
from explorer.tracking.lease import Lease, LeaseLost
from explorer.tracking.spool import Owner, Spool, waiting
from explorer.tracking.tracker import Tracker

__all__ = [
    "Data",
    "Drain",
    "Intake",
    "Lease",
    "LeaseLost",
    "Owner",
    "Spool",
    "Summary",
    "Tracker",
    "TrialRun",
    "waiting",
]
