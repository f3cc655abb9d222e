"""Dominance among trials: ranks, fronts, what they attain, hypervolume, and one of them to choose."""

from explorer.pareto.attainment import attained
from explorer.pareto.choice import iso_f, knee, preferred, weights
from explorer.pareto.cloud import Cloud, on_front_probability
from explorer.pareto.csv import trials_csv
from explorer.pareto.document import front_document
from explorer.pareto.dominance import front_mask, hypervolume, ranks, ties
from explorer.pareto.frame import trials_frame
from explorer.pareto.front import Front
from explorer.pareto.progress import Progress
from explorer.pareto.ranking import Ranking, rank, reference_point

__all__ = [
    "Cloud",
    "Front",
    "Progress",
    "Ranking",
    "attained",
    "front_document",
    "front_mask",
    "hypervolume",
    "iso_f",
    "knee",
    "on_front_probability",
    "preferred",
    "rank",
    "ranks",
    "reference_point",
    "ties",
    "trials_csv",
    "trials_frame",
    "weights",
]
