"""Constraints on critic and generator, so that they cannot be arbitrarily steep. One file each."""

from trainables.constraints.constraint import Constraint
from trainables.family import Family

__all__ = ["CONSTRAINTS", "Constraint"]

CONSTRAINTS: Family[Constraint] = Family("constraint", Constraint, __name__, default="none")
"""Every constraint by name."""
