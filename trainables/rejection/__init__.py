"""What happens after training, on the trained model: rejection at a budget."""

from trainables.rejection.known_laws import (
    Refined,
    guaranteed_improvement,
    largest_ratio,
    refine_drs,
    refine_obrs,
    refine_plain,
    refined_law,
)
from trainables.rejection.obrs import LOG_EXTREME, acceptance, budget_constant, obrs_acceptance

__all__ = [
    "LOG_EXTREME",
    "Refined",
    "acceptance",
    "budget_constant",
    "guaranteed_improvement",
    "largest_ratio",
    "obrs_acceptance",
    "refine_drs",
    "refine_obrs",
    "refine_plain",
    "refined_law",
]
