"""Stoppers: which trials need not be trained to their end. One file each."""

from explorer.stopping.stopper import Stopper
from trainables.family import Family

__all__ = ["STOPPERS", "Stopper"]

STOPPERS: Family[Stopper] = Family("stopper", Stopper, __name__, default="none")
"""Every stopper by name."""
