"""Rejection that is given up after K draws: which draws become samples when each attempt is limited."""

from __future__ import annotations

from math import floor

import torch
from torch import Tensor

from trainables.randomness import hashed_uniforms

__all__ = ["kept_of_attempts"]


def kept_of_attempts(accepted: Tensor, uniform: Tensor, budget: float) -> Tensor:
    """(T, M) which draws become samples, of those (T, M) that would be ``accepted`` if nobody gave up.

    An attempt begins after the sample before. It ends at the first draw that is accepted or, if none of L is, at the
    L-th: L = ⌊K⌋ or ⌈K⌉, K on average, by a hash of the uniform (T, M) of its first draw. At K = 1 every draw is a
    sample.

    Where attempts begin is found by doubling: nodes that are reached by 2^i jumps. O(T · M log M).
    """
    trials, count = accepted.shape
    places = torch.arange(count, device=accepted.device)
    whole = floor(budget)
    other = hashed_uniforms(uniform.float().contiguous().view(torch.int32).long(), (1,))[..., 0]
    given_up = places + whole + (other <= budget - whole).long() - 1
    found = torch.where(accepted, places, count).flip(1).cummin(1).values.flip(1)
    ends = torch.minimum(found, given_up)  # of an attempt that begins here
    jump = torch.cat((ends + 1, torch.full_like(ends[:, :1], count)), dim=1).clamp(max=count)
    begins = torch.zeros(trials, count + 1, dtype=torch.int64, device=accepted.device)
    begins[:, 0] = 1
    for _ in range(max(count, 1).bit_length()):
        begins = begins.scatter_reduce(1, jump, begins, "amax")
        jump = jump.gather(1, jump)
    kept = torch.zeros(trials, count + 1, dtype=torch.int64, device=accepted.device)
    # Attempts that the draws do not suffice for end nowhere.
    kept.scatter_reduce_(1, ends.clamp(max=count), begins[:, :count], "amax")
    return kept[:, :count].bool()
