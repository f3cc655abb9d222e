"""Searches: which points of a space are tried. One file each; only ``points.optuna_source`` knows Optuna."""

from explorer.search.search import Search, Study, of_search
from trainables.family import Family

__all__ = ["SEARCHES", "Search", "Study", "of_search"]

SEARCHES: Family[Search] = Family("search", Search, __name__, default="grid", plural="searches")
"""Every search by name."""
