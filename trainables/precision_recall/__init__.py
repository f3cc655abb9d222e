"""Precision-recall curves and divergence frontiers of known laws and of samples; Lipschitz ceilings."""

from trainables.precision_recall.ceilings import (
    ceiling_curve,
    forward_bound,
    forward_bound_any_centre,
    inverse_bound,
    latent_ball_mass,
    residual_flow_constants,
)
from trainables.precision_recall.curve import PRCurve, f_score
from trainables.precision_recall.exact import (
    as_law,
    curve_density,
    curve_discrete,
    curve_histogram,
    curve_quadrature,
    quadrature_masses,
)
from trainables.precision_recall.exponential import (
    FAMILIES,
    ExponentialFamily,
    frontier_family,
    frontier_gaussian,
    gaussian_kl,
)
from trainables.precision_recall.frontiers import Frontier, frontier_discrete, frontier_from_log_ratio
from trainables.precision_recall.funk import boundary_point, funk_metric
from trainables.precision_recall.grid import equiangular_grid, geometric_grid
from trainables.precision_recall.links import best_set, cover_on_the_line, curve_from_pr_divergence, set_gap
from trainables.precision_recall.ratio_law import RatioLaw
from trainables.precision_recall.renyi import log_between, renyi, renyi_gaussian
from trainables.precision_recall.sampled import curve_from_both_sides, curve_from_log_ratio

__all__ = [
    "FAMILIES",
    "ExponentialFamily",
    "Frontier",
    "PRCurve",
    "RatioLaw",
    "as_law",
    "best_set",
    "boundary_point",
    "ceiling_curve",
    "cover_on_the_line",
    "curve_density",
    "curve_discrete",
    "curve_from_both_sides",
    "curve_from_log_ratio",
    "curve_from_pr_divergence",
    "curve_histogram",
    "curve_quadrature",
    "equiangular_grid",
    "f_score",
    "forward_bound",
    "forward_bound_any_centre",
    "frontier_discrete",
    "frontier_family",
    "frontier_from_log_ratio",
    "frontier_gaussian",
    "funk_metric",
    "gaussian_kl",
    "geometric_grid",
    "inverse_bound",
    "latent_ball_mass",
    "log_between",
    "quadrature_masses",
    "renyi",
    "renyi_gaussian",
    "residual_flow_constants",
    "set_gap",
]
