"""Independence chains of Metropolis and Hastings over draws of a generator (Turner et al. 2019).

The proposal is a fresh draw, whatever the state. It takes the place of x with probability min(1, r(x′)/r(x)), so that
the law of the data is stationary where the ratio is exact.
"""

from __future__ import annotations

from math import ceil, floor

import torch
from torch import Tensor

__all__ = ["ends_of_chains"]


def ends_of_chains(
    log_ratio: Tensor, uniform: Tensor, budget: float, real: Tensor | None = None, before: int = 0
) -> Tensor:
    """(T, M) which draws are the end of a chain, of log r and uniforms in (0, 1], both (T, M).

    Chain j has the draws from ⌊jK⌋ to before ⌊(j+1)K⌋, K on average. It begins at its first draw; or, with log r (T, R)
    at ``real`` points, at one of these, which is never a sample: a chain that does not leave it ends as one that had
    begun at its first draw, over the same draws and uniforms. Draws after the last whole chain belong to none: ⌊nK⌋
    draws are n chains. At K = 1 every draw is an end. ``before`` chains had the draws before these. O(T · M).
    """
    trials, count = log_ratio.shape
    begun = floor(before * budget)
    chains = floor((count + 1) / budget) + 1
    while (
        floor((before + chains) * budget) - begun > count
    ):  # at most twice: the quotient may be rounded past an edge
        chains -= 1
    edges = [floor((before + j) * budget) - begun for j in range(chains + 1)]
    starts = torch.tensor(edges[:-1], device=log_ratio.device, dtype=torch.int64)
    lengths = torch.tensor(edges, device=log_ratio.device, dtype=torch.int64).diff()
    log_r, log_u = log_ratio.double(), uniform.double().log()
    ends = starts.expand(trials, -1)
    state = log_r[:, starts]
    away: Tensor | None = None
    if real is not None:
        at = torch.arange(before, before + chains, device=real.device) % real.shape[1]
        away = _walked(log_r, log_u, starts, lengths, ceil(budget), real.double()[:, at], None)
    ends = _walked(log_r, log_u, starts, lengths, ceil(budget), state, ends)
    if away is not None:
        ends = torch.where(away >= 0, away, ends)
    kept = torch.zeros_like(log_ratio, dtype=torch.bool)
    return kept.scatter(1, ends, True)


def _walked(
    log_r: Tensor,
    log_u: Tensor,
    starts: Tensor,
    lengths: Tensor,
    most: int,
    state: Tensor,
    ends: Tensor | None,
) -> Tensor:
    """(T, C) where chains end that begin at ``ends`` with log r = ``state``; -1 of those that never left no place."""
    first = 0 if ends is None else 1
    now = torch.full_like(state, -1, dtype=torch.int64) if ends is None else ends
    for step in range(first, most):
        place = (starts + step).clamp(max=log_r.shape[1] - 1)
        proposed = log_r[:, place]
        moves = (log_u[:, place] <= proposed - state) & (step < lengths)
        now, state = torch.where(moves, place, now), torch.where(moves, proposed, state)
    return now
