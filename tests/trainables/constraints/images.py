"""Small images, and networks of them: convolutions in a row, residual blocks. Of the tests' own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import nn

from trainables.config import TrainingConfig, TrialConfig
from trainables.datasets import Dataset
from trainables.models import Model
from trainables.models.layers.branches import Branches
from trainables.objectives.fgan import Gan
from trainables.sources.array_source import ArraySource

SIDE = 8


@dataclass(frozen=True)
class Dots(Dataset):
    """A bright dot on a dark ground, in one of four corners."""

    name: ClassVar[str] = "dots"

    @property
    def shape(self) -> tuple[int, ...]:
        return (1, SIDE, SIDE)

    def source(self) -> ArraySource:
        generator = torch.Generator().manual_seed(0)
        images = 0.1 * torch.randn(400, 1, SIDE, SIDE, generator=generator) - 0.5
        for index, image in enumerate(images):
            row, column = divmod(index % 4, 2)
            image[0, 1 + 4 * row : 3 + 4 * row, 1 + 4 * column : 3 + 4 * column] += 1.0
        return ArraySource(images)


def _block(channels: int, skip: nn.Module) -> Branches:
    return Branches(nn.Sequential(nn.ReLU(), nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU()), skip)


@dataclass(frozen=True)
class Pictures(Model):
    """A transposed convolution and a strided one; ``residual``, with blocks in between."""

    name: ClassVar[str] = "pictures"
    residual: bool = False
    latent: int = 3

    def build_generator(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        blocks = [_block(4, nn.Conv2d(4, 4, 1))] if self.residual else []
        return nn.Sequential(
            nn.Linear(self.latent, 4 * 4 * 4), nn.Unflatten(1, (4, 4, 4)), *blocks, nn.ReLU(),
            nn.ConvTranspose2d(4, 1, 4, 2, 1), nn.Tanh(),
        )  # fmt: skip

    def build_critic(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        blocks = [_block(4, nn.Identity())] if self.residual else []
        return nn.Sequential(
            nn.Conv2d(1, 4, 4, 2, 1), nn.LeakyReLU(0.2), *blocks, nn.Flatten(), nn.Linear(4 * 4 * 4, 1)
        )


def pictures(seed: int = 0, residual: bool = False, iterations: int = 20, **sections: Any) -> TrialConfig:
    """A trial on dots."""
    return TrialConfig(
        dataset=Dots(),
        model=Pictures(residual=residual),
        objective=Gan(),
        training=TrainingConfig(iterations=iterations, batch_size=16, critic_steps=1, ema=0.5, decay=0.0),
        seed=seed,
        **sections,
    )
