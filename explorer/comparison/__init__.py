"""Runs beside each other: what differs, and which differences are more than luck."""

from explorer.comparison.comparison import Comparison, Measured, compare_sides
from explorer.comparison.opening import open_sides
from explorer.comparison.sides import Side
from explorer.comparison.significance import Difference

__all__ = ["Comparison", "Difference", "Measured", "Side", "compare_sides", "open_sides"]
