"""The f-divergence family: formulas for critics, bounds, and weights over the trade-off λ."""

from trainables.divergences.amari import amari
from trainables.divergences.bounds import bregman, dual_bound, primal_error_bound, primal_estimate
from trainables.divergences.precision_recall import pr, pr_conjugate, pr_divergence, pr_f, pr_f_prime
from trainables.divergences.record import Divergence
from trainables.divergences.registry import DIVERGENCES, divergence
from trainables.divergences.weights import rebuild, weight

__all__ = [
    "DIVERGENCES",
    "Divergence",
    "amari",
    "bregman",
    "divergence",
    "dual_bound",
    "pr",
    "pr_conjugate",
    "pr_divergence",
    "pr_f",
    "pr_f_prime",
    "primal_error_bound",
    "primal_estimate",
    "rebuild",
    "weight",
]
