"""Discriminator optimal transport (Tanaka 2019): samples by gradient descent on ‖x - y‖ - d(x)/L.

With a critic d of Lipschitz constant L, d/L is the potential of a transport, and the minimiser of ‖x - y‖ - d(x)/L is
where it brings y. The critics here are log ratios, for which that is a heuristic, as in the paper.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

__all__ = ["transport_constants", "transported"]

PAIRED = 1024
"""Draws of which every other is paired with the next."""
_TINY = 1e-12


@torch.no_grad()
def transport_constants(points: Tensor, score: Tensor) -> Tensor:
    """(T, 2) of draws (T, m, *shape) with d (T, m) there: L and spread.

    L is the largest |d(x) - d(y)|/‖x - y‖ among pairs of draws, the spread √E‖x - E x‖². O(T · m).
    """
    pairs = min(PAIRED, points.shape[1]) // 2
    score, flat = score[:, :PAIRED].double(), points[:, :PAIRED].flatten(2).double()
    apart = (flat[:, 0 : 2 * pairs : 2] - flat[:, 1 : 2 * pairs : 2]).norm(dim=2)
    rises = (score[:, 0 : 2 * pairs : 2] - score[:, 1 : 2 * pairs : 2]).abs()
    slopes = torch.where(apart > _TINY, rises / apart.clamp_min(_TINY), 0.0)
    steepest = torch.cat((slopes, slopes.new_full((len(slopes), 1), _TINY)), dim=1).amax(dim=1)
    spread = (flat - flat.mean(dim=1, keepdim=True)).square().sum(dim=2).mean(dim=1).sqrt()
    return torch.stack((steepest, spread), dim=1)


def transported(
    points: Tensor, log_ratio: Callable[[Tensor], Tensor], constants: Tensor, steps: int, rate: float
) -> Tensor:
    """x (T, m, *shape) after ``steps`` of x ← x - ε ((x - y)/‖x - y‖ - ∇d(x)/L), from x = y, ε = rate × spread.

    ``log_ratio`` is d, (T, m, *shape) → (T, m). At x = y the distance has no slope. Each step costs one call of the
    critic and one of its gradient.
    """
    begun = points.flatten(2)
    shape = points.shape
    steep, spread = (value.to(begun).reshape(-1, 1, 1) for value in constants.unbind(dim=1))
    x = begun
    for _ in range(steps):
        with torch.enable_grad():
            at = x.detach().requires_grad_()
            (uphill,) = torch.autograd.grad(log_ratio(at.reshape(shape)).sum(), at)
        away = x - begun
        back = away / away.norm(dim=2, keepdim=True).clamp_min(_TINY)
        x = x - rate * spread * (back - uphill / steep)
    return x.reshape(shape)
