"""The theory of the trade-off on two known laws: numbers, pictures, a page."""

from explorer.theory.comparison import Comparison, compare

__all__ = ["Comparison", "compare"]
