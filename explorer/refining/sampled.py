"""Samples of a model through a refinement, drawn to disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.errors import UserError
from explorer.refining.samples_out import check_out, write_samples
from explorer.refining.wish import Wish
from explorer.store.schema import budget_text

if TYPE_CHECKING:
    from trainables.refinements.budgeted import Budgeted
    from trainables.samplers.pool import Drawable

__all__ = ["sampled"]


def sampled(
    model: Drawable,
    method: Budgeted,
    wish: Wish,
    count: int,
    out: Path,
    told: dict[str, Any],
    stage: Callable[[str], None] = lambda told: None,
) -> dict[str, Any]:
    """``count`` samples at the one budget that is wished, into ``out``; how they were made and what they cost.

    Fewer where the model's draws come to an end: ``asked`` against the samples of the ledger.
    Constants of the budget are found on the very draws that are chosen from, as far as there is room for their ratios.
    """
    from trainables.evaluation.refined import tuned_on
    from trainables.samplers.constants import constants_of, pool_ratios
    from trainables.samplers.refining import Refining

    (budget,) = wish.budgets
    check_out(out, model.shape)
    words = f"{method.name}, K = {budget_text(budget)}"
    try:
        constants = ratios = None
        if budget > 1:
            stage(f"{words}: constants")
            ratios = pool_ratios(model, method, tuned_on(method, (budget,), count), wish.seed)
            constants = constants_of(model, method, budget, ratios, wish.seed)
        stream = Refining(model, method, budget, constants, wish.seed)
        told = {**told, "method": method.name, "budget": budget, "asked": count, "seed": wish.seed}
        made = {**told, "tuned_on": 0 if ratios is None else len(ratios)}
        return write_samples(
            model, stream, count, out, made, lambda done, of: stage(f"{words}: {done:,} of {of:,} samples")
        )
    except ValueError as error:
        raise UserError(f"{told.get('model', 'the model')} cannot be sampled: {error}") from error
    except OSError as error:
        raise UserError(f"samples cannot be written to {out}: {error.strerror or error}") from error
