"""Trained models read through refinements at budgets, and sampled through them."""

from explorer.refining.refined import Refined, refined
from explorer.refining.wish import Wish, parse_budgets

__all__ = ["Refined", "Wish", "parse_budgets", "refined"]
