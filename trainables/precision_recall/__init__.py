"""Precision-recall curves of known laws, exactly, and of samples through their density ratio."""

from trainables.precision_recall.curve import PRCurve, f_score
from trainables.precision_recall.exact import (
    as_law,
    curve_density,
    curve_discrete,
    curve_histogram,
    curve_quadrature,
    quadrature_masses,
)
from trainables.precision_recall.grid import equiangular_grid
from trainables.precision_recall.ratio_law import RatioLaw
from trainables.precision_recall.sampled import curve_from_both_sides, curve_from_log_ratio

__all__ = [
    "PRCurve",
    "RatioLaw",
    "as_law",
    "curve_density",
    "curve_discrete",
    "curve_from_both_sides",
    "curve_from_log_ratio",
    "curve_histogram",
    "curve_quadrature",
    "equiangular_grid",
    "f_score",
    "quadrature_masses",
]
