"""Residual networks for images (Miyato et al. 2018): blocks of two 3 × 3 convolutions beside a short way round.

A block is ``Residual(branch, skip)``, a critic one ``nn.Sequential`` of blocks, pooling and a linear layer: its
Lipschitz constant is bounded by walking it, Lip(branch) + Lip(skip) for a block. Weights are plain; constraints
normalise them.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn

from trainables.models.layers.batch_norm import BatchNorm
from trainables.models.layers.branches import Branches
from trainables.models.layers.pyramid import sides
from trainables.models.layers.stacked import SameConv

__all__ = ["ResNetCritic", "ResNetGenerator", "Residual", "SumPool", "critic_block", "critic_blocks"]


class Residual(Branches):
    """x ↦ branch(x) + skip(x)."""


class SumPool(nn.Module):
    """(n, c, h, w) → (n, c): the sum over all pixels."""

    def known_norm(self, shape: tuple[int, ...]) -> float:
        """√(h · w)."""
        return float((shape[-2] * shape[-1]) ** 0.5)

    def forward(self, x: Tensor) -> Tensor:
        """The sum."""
        return x.sum((-2, -1))


def generator_block(fan_in: int, fan_out: int) -> Residual:
    """(n, fan_in, h, w) → (n, fan_out, 2h, 2w).

    No biases: each would be undone by the next batch normalisation, on both ways. Enlarging after the skip's 1 × 1
    convolution is the same as before it, and cheaper.
    """
    return Residual(
        nn.Sequential(
            BatchNorm(fan_in),
            nn.ReLU(),
            nn.Upsample(scale_factor=2),
            SameConv(fan_in, fan_out, 3, bias=False),
            BatchNorm(fan_out),
            nn.ReLU(),
            SameConv(fan_out, fan_out, 3, bias=False),
        ),
        nn.Sequential(SameConv(fan_in, fan_out, 1, bias=False), nn.Upsample(scale_factor=2)),
    )


def critic_block(fan_in: int, fan_out: int, down: bool, first: bool = False) -> Residual:
    """(n, fan_in, h, w) → (n, fan_out, h, w), or halves of the sides if ``down``, by averages.

    The first block of a critic sees the image as it is, without a ReLU. Averaging before the skip's 1 × 1 convolution
    is the same as after it, and cheaper.
    """
    branch: list[nn.Module] = [] if first else [nn.ReLU()]
    branch += [SameConv(fan_in, fan_out, 3), nn.ReLU(), SameConv(fan_out, fan_out, 3)]
    pool: list[nn.Module] = [nn.AvgPool2d(2)] if down else []
    mixed: list[nn.Module] = [SameConv(fan_in, fan_out, 1)] if down or fan_in != fan_out else []
    return Residual(nn.Sequential(*branch, *pool), nn.Sequential(*pool, *mixed) if mixed else nn.Identity())


def critic_blocks(channels: int, widths: Sequence[int], downs: Sequence[bool]) -> list[Residual]:
    """Blocks of a critic of images with so many channels."""
    ins = (channels, *widths)
    return [
        critic_block(a, b, down, first=i == 0)
        for i, (a, b, down) in enumerate(zip(ins, widths, downs, strict=False))
    ]


class ResNetGenerator(nn.Sequential):
    """z (n, m) → linear → base × base → blocks that double the side → tanh, images (n, c, side, side)."""

    def __init__(self, latent: int, width: int, shape: tuple[int, ...]) -> None:
        base, *grown = sides(shape[1])
        super().__init__(
            nn.Linear(latent, width * base * base),
            nn.Unflatten(-1, (width, base, base)),
            *(generator_block(width, width) for _ in grown),
            BatchNorm(width),
            nn.ReLU(),
            SameConv(width, shape[0], 3),
            nn.Tanh(),
        )
        _initialise(self)


class ResNetCritic(nn.Sequential):
    """Images (n, c, side, side) → blocks that halve the side to twice the base, two that keep it → logits (n, 1)."""

    def __init__(self, width: int, shape: tuple[int, ...]) -> None:
        halvings = len(sides(shape[1])) - 2
        downs = [True] * halvings + [False] * 2
        blocks = critic_blocks(shape[0], [width] * len(downs), downs)
        super().__init__(*blocks, nn.ReLU(), SumPool(), nn.Linear(width, 1))
        _initialise(self)


def _initialise(module: nn.Module) -> None:
    """Glorot's uniform weights, √2 times as large for 3 × 3 kernels, and biases 0, as Miyato et al. have them."""
    for layer in module.modules():
        if isinstance(layer, nn.Conv2d | nn.Linear):
            before_relu = isinstance(layer, nn.Conv2d) and layer.kernel_size == (3, 3)
            nn.init.xavier_uniform_(layer.weight, 2**0.5 if before_relu else 1.0)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)
