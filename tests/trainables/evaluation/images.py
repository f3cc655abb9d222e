"""Digits as a dataset of the tests' own, and models of images that need no training to be read."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, prod
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from trainables.datasets import Dataset
from trainables.models import Model
from trainables.sources.array_source import ArraySource
from trainables.sources.digits import digits

__all__ = ["ByClass", "Level", "SmallDigits", "Uniform"]

Level = 2 / 16
"""Between two of the 17 greys of digits in [-1, 1]."""


class Greys(ArraySource):
    """Digits know how far their greys are apart."""

    quantum = Level

    def to(self, device: torch.device | str) -> ArraySource:
        moved = super().to(device)
        moved.quantum = self.quantum
        return moved


@dataclass(frozen=True)
class SmallDigits(Dataset):
    """Digits, 8×8, from -1 to 1."""

    name: ClassVar[str] = "small_digits"
    labelled: bool = True

    @property
    def shape(self) -> tuple[int, ...]:
        return (1, 8, 8)

    @property
    def classes(self) -> int | None:
        return 10 if self.labelled else None

    def source(self) -> ArraySource:
        x, y = digits()
        greys = (x.float() * (16 / 255)).round() / 8 - 1
        return Greys(greys, y if self.labelled else None, span=(-1.0, 1.0))


class Critic(nn.Module):
    """A linear score of images, whatever their class."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Flatten(), nn.Linear(prod(shape), 1))

    def forward(self, x: Tensor, *given: Tensor) -> Any:
        return self.net(x)


class Shades(nn.Module):
    """Images of one grey for each class, with little noise."""

    def __init__(self, shape: tuple[int, ...], classes: int) -> None:
        super().__init__()
        self.register_buffer("grey", torch.linspace(-1, 1, classes))
        self.noise = nn.Parameter(torch.tensor(0.01))
        self.shape = shape

    def forward(self, z: Tensor, y: Tensor) -> Tensor:
        flat = self.grey[y].unsqueeze(1) + self.noise * z
        return flat.unflatten(1, self.shape)


@dataclass(frozen=True)
class ByClass(Model):
    """Makes samples of a class."""

    name: ClassVar[str] = "by_class"
    conditional: ClassVar[bool] = True

    def latent_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return (prod(shape),)

    def build_generator(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        return Shades(shape, classes or 1)

    def build_critic(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        return Critic(shape)


class Box(nn.Module):
    """The uniform law on all that levels of grey spread to; one parameter, without effect."""

    def __init__(self) -> None:
        super().__init__()
        self.idle = nn.Parameter(torch.zeros(1))

    def forward(self, z: Tensor) -> Tensor:
        return (2 + Level) * (torch.special.ndtr(z) - 0.5) + 0 * self.idle

    def log_prob(self, x: Tensor) -> Tensor:
        inside = (x.abs() <= 1 + Level / 2 + 1e-5).flatten(1).all(dim=1)
        density = -x[0].numel() * log(2 + Level) + 0 * self.idle
        return torch.where(inside, density, -torch.inf)


@dataclass(frozen=True)
class Uniform(Model):
    """A density that is known: bits per dimension are log2 of 17."""

    name: ClassVar[str] = "uniform"
    has_density: ClassVar[bool] = True

    def latent_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        return shape

    def build_generator(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        return Box()

    def build_critic(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        return Critic(shape)
