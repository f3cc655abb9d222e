"""Constants of budgets, found on draws of a model; what of a ratio can be used at all."""

from __future__ import annotations

import torch
from torch import Tensor

from trainables.refinements.budgeted import Budgeted, check_budget
from trainables.refinements.choosing import Choosing
from trainables.refinements.draws import Block
from trainables.refinements.moving import Moving
from trainables.samplers.pool import Drawable, Pool

__all__ = ["check_block", "check_ratios", "constants_of", "moved_block", "pool_ratios", "ratio_of", "tuned"]


@torch.no_grad()
def tuned(model: Drawable, method: Budgeted, budget: float, draws: int, seed: int) -> Tensor:
    """(1, C) constants of a budget, found on ``draws`` draws of a seed; of these their ratios alone are held.

    Refuses a ratio that is no number.
    """
    check_budget(budget, method.largest)
    return constants_of(model, method, budget, pool_ratios(model, method, draws, seed), seed)


@torch.no_grad()
def pool_ratios(model: Drawable, method: Budgeted, draws: int, seed: int) -> Tensor | None:
    """(n,) log r at the first ``draws`` draws of a seed, fewer where they end; None where nothing is chosen by it."""
    if not isinstance(method, Choosing):
        return None
    found: list[Tensor] = []
    for pool in model.pools(seed):
        found.append(ratio_of(pool, method))
        if sum(map(len, found)) >= draws:
            break
    ratios = torch.cat(found)[:draws]
    check_ratios(ratios)
    return ratios


@torch.no_grad()
def constants_of(
    model: Drawable, method: Budgeted, budget: float, ratios: Tensor | None, seed: int
) -> Tensor:
    """(1, C) constants of a budget, from what ``pool_ratios`` gave, or from the first draws of the seed."""
    if isinstance(method, Moving):
        pool = next(iter(model.pools(seed)))
        if method.scored:
            check_ratios(ratio_of(pool, method))
        return method.constants(moved_block(pool, method))
    assert isinstance(method, Choosing)
    assert ratios is not None
    return method.constants(ratios.unsqueeze(0), budget)


def check_ratios(ratios: Tensor) -> None:
    """Refuse log r (n,) of which nothing can be chosen."""
    missing = int(ratios.isnan().sum())
    if missing:
        raise ValueError(
            f"the log ratio must be a number at every draw, got NaN at {missing:,} of {len(ratios):,}; the critic "
            "diverged, or its scores are damaged"
        )
    if len(ratios) and bool((ratios == -torch.inf).all()):
        raise ValueError(
            f"the ratio is 0 at all {len(ratios):,} draws: every budget rejects everything; the critic holds all "
            "samples for impossible"
        )


def check_block(ratio: Tensor) -> None:
    """Refuse log r (m,) that is no number, wherever in a stream it turns up."""
    if bool(ratio.isnan().any()):
        check_ratios(ratio)


def ratio_of(pool: Pool, method: Budgeted) -> Tensor:
    """Log r (m,) of draws, for a method that asks for it."""
    if pool.log_ratio is None:
        raise ValueError(
            f"refinement '{method.name}' needs the ratio of the densities, and none is known; give a critic or scores"
        )
    return pool.log_ratio


def moved_block(pool: Pool, method: Budgeted) -> Block:
    """The draws with their networks, for a method that moves them."""
    if pool.block is None:
        raise ValueError(
            f"refinement '{method.name}' moves draws by calling the networks, and only draws are at hand; use one that "
            "chooses among draws, such as obrs"
        )
    return pool.block
