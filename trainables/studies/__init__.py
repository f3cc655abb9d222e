"""Small exact studies on the line: what a divergence, a trade-off λ and a rejection budget do to a fit."""

from trainables.studies.gaussian_fit import TARGET, Fit, Landscape, fit_gaussian, landscape
from trainables.studies.line import Line, density, normal_log_density, refined
from trainables.studies.separation import COMB, separated, separation_loss

__all__ = [
    "COMB",
    "TARGET",
    "Fit",
    "Landscape",
    "Line",
    "density",
    "fit_gaussian",
    "landscape",
    "normal_log_density",
    "refined",
    "separated",
    "separation_loss",
]
