"""Stoppers: which trials need not be trained to their end. One file each."""

from explorer.stopping.stopper import Stopper
from trainables.family import Family

__all__ = ["SINGLE_METRIC", "STOPPERS", "Stopper"]

STOPPERS: Family[Stopper] = Family("stopper", Stopper, __name__, default="none")
"""Every stopper by name."""

SINGLE_METRIC = frozenset(
    {
        "asha",
        "async_hyperband",
        "bohb",
        "hb_bohb",
        "hyperband",
        "median",
        "median_stopping",
        "pb2",
        "pbt",
        "sha",
    }
    | {"successive_halving", "population_based_training", "median_pruner", "hyperband_pruner", "wilcoxon"}
)
"""Schedulers that rank trials by one metric, under the names that other tools have for them; a sweep has several."""
