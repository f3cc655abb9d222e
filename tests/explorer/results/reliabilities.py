"""Reliabilities of ratios whose fault is known, as an artifact tells them."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import torch

from trainables.rejection.reliability import reliability

__all__ = ["told"]


def told(factor: float = 2.0, shift: float = 1.0, budget: float = 4.0, count: int = 600) -> dict[str, Any]:
    """Of ``factor`` · log r for P = N(shift, 1) and Q = N(0, 1), at ``count`` real points and 100 fewer generated."""
    found: dict[str, Any] = json.loads(_told(factor, shift, budget, count))
    return found


@cache
def _told(factor: float, shift: float, budget: float, count: int) -> str:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(count, generator=generator, dtype=torch.float64) + shift
    y = torch.randn(count - 100, generator=generator, dtype=torch.float64)
    pair = (factor * (shift * part - shift**2 / 2) for part in (x, y))
    return json.dumps(reliability(*pair, budget).plain(), allow_nan=False)
