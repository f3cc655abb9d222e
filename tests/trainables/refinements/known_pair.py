"""One model of which all is known: Q = N(0, 1), made of its latents as they are, and P = N(1, 1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from trainables.refinements import Block, Proposals

__all__ = ["BLOCK", "proposals", "stacked"]

BLOCK = 256


def log_ratio(x: Tensor) -> Tensor:
    """log p/q at x (…, 1): x - 1/2."""
    return x[..., 0] - 0.5


def proposals(count: int, seed: int = 0) -> Proposals:
    """So many draws, with what is known at as many real points."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(count, 1, generator=generator)
    uniform = 1 - torch.rand(count, generator=generator)
    real = 1 + torch.randn(count, 1, generator=generator)

    def blocks(wanted: int) -> Iterator[Block]:
        for start in range(0, wanted, BLOCK):
            part = x[None, start : min(start + BLOCK, wanted)]

            def normal(step: int, part: Tensor = part, start: int = start) -> Tensor:
                own = torch.Generator().manual_seed(1_000_000 * (seed + 1) + 1000 * start + step)
                return torch.randn(1, BLOCK, 1, generator=own)[:, : part.shape[1]]

            yield Block(part, part, lambda z: z, log_ratio, normal)

    return Proposals(x, log_ratio(x), uniform, log_ratio(real), blocks)


def stacked(models: Sequence[Proposals]) -> Proposals:
    """Several of them side by side."""

    def blocks(wanted: int) -> Iterator[Block]:
        for parts in zip(*(one.blocks(wanted) for one in models if one.blocks is not None), strict=True):
            points = torch.cat([part.points for part in parts])

            def normal(step: int, parts: Sequence[Block] = parts) -> Tensor:
                return torch.cat([part.normal(step) for part in parts])

            yield Block(points, points, lambda z: z, log_ratio, normal)

    return Proposals(
        torch.stack([one.points for one in models]),
        torch.stack([one.log_ratio for one in models]),
        torch.stack([one.uniform for one in models]),
        torch.stack([one.real for one in models if one.real is not None]),
        blocks,
    )
