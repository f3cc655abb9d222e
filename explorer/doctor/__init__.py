"""What could keep sweeps from running here, and what broken ones left behind; a file per check."""

from explorer.doctor.examination import examine
from explorer.doctor.finding import Finding, State, Subject

__all__ = ["Finding", "State", "Subject", "examine"]
