"""Dominance among trials: ranks, fronts, hypervolume."""

from explorer.pareto.csv import trials_csv
from explorer.pareto.document import front_document
from explorer.pareto.frame import trials_frame
from explorer.pareto.front import Front
from explorer.pareto.ranking import Ranking, rank, reference_point

__all__ = [
    "Front",
    "Ranking",
    "front_document",
    "rank",
    "reference_point",
    "trials_csv",
    "trials_frame",
]
