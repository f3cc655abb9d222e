"""What happens after training, on the trained model: rejection at a budget."""

from trainables.refinement.obrs import LOG_EXTREME, acceptance, budget_constant, obrs_acceptance

__all__ = ["LOG_EXTREME", "acceptance", "budget_constant", "obrs_acceptance"]
