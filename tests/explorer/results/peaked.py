"""α_λ of made-up models that are best at a λ of their own."""

from __future__ import annotations

import math

from explorer.store.schema import TRADE_OFFS

__all__ = ["peaked"]


def peaked(lam: float, seed: int = 0, depth: float = 0.5) -> tuple[float, ...]:
    """α_t / min(1, t) is highest at t = ``lam`` and falls off with the logarithm of t; seeds differ a little."""
    height = 0.9 + 0.01 * math.sin(100 * seed + 1)
    return tuple(min(1.0, t) * max(0.0, height - depth * abs(math.log10(t / lam)) / 3) for t in TRADE_OFFS)
