"""Dominance among trials: ranks, fronts, hypervolume, and seeds as repeats."""

from explorer.pareto.csv import trials_csv
from explorer.pareto.document import front_document
from explorer.pareto.frame import trials_frame
from explorer.pareto.front import Front
from explorer.pareto.ranking import Ranking, rank, reference_point
from explorer.pareto.repeats import Repeat, repeats

__all__ = [
    "Front",
    "Ranking",
    "Repeat",
    "front_document",
    "rank",
    "reference_point",
    "repeats",
    "trials_csv",
    "trials_frame",
]
