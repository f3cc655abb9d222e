"""Which samples of a set are kept from training: a shuffle of its own, the same on every machine."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["shuffled", "split"]


def shuffled(count: int) -> Tensor:
    """The numbers 0 … count - 1 in an order that is always the same."""
    return torch.randperm(count, generator=torch.Generator().manual_seed(0))


def split(count: int, held_out: float) -> tuple[Tensor, Tensor]:
    """Positions of the samples to train on, and of the share ``held_out`` that training never sees."""
    kept = int(count * held_out) if 0 < held_out < 1 else 0
    if not 1 <= kept < count:
        advice = "two are the fewest" if count < 2 else f"use {0.2 if count >= 5 else 0.5}"
        raise ValueError(
            f"held_out must leave samples on both sides, got {held_out} of {count} samples; {advice}"
        )
    order = shuffled(count)
    return order[kept:], order[:kept]
