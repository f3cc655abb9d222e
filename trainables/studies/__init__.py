"""Small studies of known laws: what a divergence, a trade-off λ, a critic and a rejection budget do."""

from trainables.studies.budgeted import (
    EXAMPLE_WORDS,
    Pair,
    covering_pair,
    narrower_pair,
    refined_laws,
    two_piece_log_density,
)
from trainables.studies.gaussian_fit import TARGET, Fit, Landscape, fit_gaussian, landscape
from trainables.studies.line import Line, density, normal_log_density, refined
from trainables.studies.primal import PrimalStudy, primal_study, random_mixtures
from trainables.studies.separation import COMB, separated, separation_loss

__all__ = [
    "COMB",
    "EXAMPLE_WORDS",
    "TARGET",
    "Fit",
    "Landscape",
    "Line",
    "Pair",
    "PrimalStudy",
    "covering_pair",
    "density",
    "fit_gaussian",
    "landscape",
    "narrower_pair",
    "normal_log_density",
    "primal_study",
    "random_mixtures",
    "refined",
    "refined_laws",
    "separated",
    "separation_loss",
    "two_piece_log_density",
]
