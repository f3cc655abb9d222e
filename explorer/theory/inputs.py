"""What ``tradeoff theory`` is given: laws, trade-offs and a budget, refused without torch where they are none."""

from __future__ import annotations

import math
from collections.abc import Sequence

from explorer.errors import UserError, shown

__all__ = ["check_budget", "check_laws", "check_trade_offs", "parse_numbers"]

MOST_OUTCOMES = 2000
MOST_TRADE_OFFS = 500
"""What is computed, drawn and printed within a second."""

LARGEST = 1e30
"""Budgets and trade-offs; their products with ratios stay far within floats."""

SMALLEST = 1e-30
"""Probabilities that are not 0, so that ratios are numbers too."""


def parse_numbers(text: str, option: str) -> list[float]:
    """Comma-separated numbers; fractions such as 1/3 are welcome."""
    return [_number(part.strip(), option) for part in text.split(",")]


def _number(text: str, option: str) -> float:
    above, slash, below = text.partition("/")
    try:
        value = float(above) / float(below) if slash else float(above)
    except (ValueError, ZeroDivisionError):
        value = math.nan
    if not math.isfinite(value):
        raise UserError(f"{option} must be numbers separated by commas, got {shown(text)}; write 0.5,0.3,0.2")
    return value


def check_laws(real: Sequence[float], model: Sequence[float]) -> None:
    """Two probability vectors on the same outcomes, not too many."""
    from trainables.laws import probabilities

    if len(real) != len(model):
        raise UserError(
            f"real and model must have the same number of probabilities, got {len(real)} and {len(model)}; "
            "give both laws on the same outcomes"
        )
    if len(real) > MOST_OUTCOMES:
        raise UserError(f"real and model must have at most {MOST_OUTCOMES:,} outcomes, got {len(real):,}")
    for option, law in (("real", real), ("model", model)):
        try:
            probabilities(law, option)
        except ValueError as error:
            raise UserError(str(error)) from None
        tiny = [p for p in law if 0 < p < SMALLEST]
        if tiny:
            raise UserError(
                f"every probability of {option} must be 0 or at least {SMALLEST:g}, got {tiny[0]:g}"
            )


def check_trade_offs(lambdas: Sequence[float]) -> None:
    """Trade-offs λ in [0, 1e30], not too many."""
    if len(lambdas) > MOST_TRADE_OFFS:
        raise UserError(
            f"lambdas must be at most {MOST_TRADE_OFFS} trade-offs, got {len(lambdas):,}; use fewer"
        )
    bad = [lam for lam in lambdas if not 0 <= lam <= LARGEST]
    if bad or not lambdas:
        got = f"got {bad[0]:g}" if bad else "got none"
        raise UserError(
            f"every trade-off of lambdas must be in [0, {LARGEST:g}], {got}; use numbers such as 0.1,1,10"
        )


def check_budget(budget: float) -> None:
    """K in [1, 1e30]."""
    if not budget >= 1:
        raise UserError(f"budget K must be ≥ 1, got {budget:g}; use budget 1 to accept every sample")
    if budget > LARGEST:
        raise UserError(f"budget K must be at most {LARGEST:g}, got {budget:g}; use a smaller one")
