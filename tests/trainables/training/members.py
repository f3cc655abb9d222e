"""Members of the tests' own: modules with buffers and random passes, labels, a penalty and a projection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from trainables.config import TrainingConfig, TrialConfig
from trainables.constraints import Constraint
from trainables.datasets import Dataset
from trainables.models import Model
from trainables.models.layers.perceptron import MLPCritic, MLPGenerator
from trainables.objectives.fgan import Gan
from trainables.sources.array_source import ArraySource


class Noisy(nn.Module):
    """Adds normal noise, in training and out of it."""

    def forward(self, x: Tensor) -> Tensor:
        return x + 0.5 * torch.randn_like(x)


class Summing(nn.Module):
    """Adds up what passes in training, in a buffer of its own."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("total", torch.zeros(width))

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            self.total.add_(0.01 * x.detach().sum(0))
        return x + 0.1 * torch.tanh(self.total)


PARTS: dict[str, Callable[[int], nn.Module]] = {
    "plain": lambda width: nn.Identity(),
    "batchnorm": lambda width: nn.BatchNorm1d(width),
    "summing": Summing,
    "dropout": lambda width: nn.Dropout(0.4),
    "noise": lambda width: Noisy(),
}


@dataclass(frozen=True)
class Parts(Model):
    """A generator and a critic with a part of their own in the middle.

    A bias before batch normalisation (those of a generator too, before that of a critic) can be without effect: its
    gradient is then of rounding errors alone, which Adam would blow up.
    """

    name: ClassVar[str] = "parts"
    generator: str = "plain"
    critic: str = "plain"

    def build_generator(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        free = self.critic != "batchnorm"
        first = nn.Linear(2, 8, bias=free and self.generator != "batchnorm")
        last = nn.Linear(8, *shape, bias=free)
        return nn.Sequential(first, PARTS[self.generator](8), nn.ReLU(), last)

    def build_critic(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        first = nn.Linear(*shape, 8, bias=self.critic != "batchnorm")
        return nn.Sequential(first, PARTS[self.critic](8), nn.LeakyReLU(0.2), nn.Linear(8, 1))


class Labelled(nn.Module):
    """A perceptron of points with their class beside them."""

    def __init__(self, out: int, classes: int) -> None:
        super().__init__()
        self.classes = classes
        self.net = nn.Sequential(nn.Linear(2 + classes, 8), nn.LeakyReLU(0.2), nn.Linear(8, out))

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return self.net(torch.cat((x, nn.functional.one_hot(y, self.classes).to(x)), dim=1))


@dataclass(frozen=True)
class Conditional(Model):
    """Takes classes where the data has them, and is a plain GAN where it has none."""

    name: ClassVar[str] = "conditional"
    conditional: ClassVar[bool] = True

    def build_generator(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        return Labelled(2, classes) if classes else MLPGenerator(2, (8,), shape)

    def build_critic(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        return Labelled(1, classes) if classes else MLPCritic(shape, (8,))


@dataclass(frozen=True)
class Clusters(Dataset):
    """Two classes, one three times as frequent as the other, at x = ±3."""

    name: ClassVar[str] = "clusters"
    labelled: bool = True

    @property
    def shape(self) -> tuple[int, ...]:
        return (2,)

    @property
    def classes(self) -> int | None:
        return 2 if self.labelled else None

    def source(self) -> ArraySource:
        generator = torch.Generator().manual_seed(0)
        y = (torch.arange(800) % 4 == 0).long()
        x = 0.3 * torch.randn(800, 2, generator=generator)
        x[:, 0] += 6.0 * y - 3.0
        return ArraySource(x, y if self.labelled else None)


@dataclass(frozen=True)
class GradientPenalty(Constraint):
    """Gulrajani et al. 2017: slopes of 1 between real and generated points."""

    name: ClassVar[str] = "gradient_penalty"
    rows: ClassVar[tuple[str, ...]] = ("weight",)
    weight: float = 1.0

    def penalty(self, score: Any, real: Tensor, fake: Tensor, uniform: Tensor, columns: Any) -> Tensor:
        between = (fake + uniform.unsqueeze(-1) * (real - fake)).requires_grad_()
        (slope,) = torch.autograd.grad(score(between).sum(), between, create_graph=True)
        return columns["weight"] * (slope.norm(dim=-1) - 1).square().mean(-1)

    def certificate(self, critic: Any, parameters: Any, columns: Any) -> None:
        """A penalty promises nothing."""


@dataclass(frozen=True)
class Clipping(Constraint):
    """Arjovsky et al. 2017: every weight within ±bound."""

    name: ClassVar[str] = "clipping"
    rows: ClassVar[tuple[str, ...]] = ("bound",)
    bound: float = 0.1

    def project(self, parameters: dict[str, Tensor], columns: Any) -> None:
        for values in parameters.values():
            bound = columns["bound"].reshape(-1, *[1] * (values.ndim - 1))
            values.copy_(torch.maximum(torch.minimum(values, bound), -bound))


def small(model: Model, seed: int = 0, **sections: Any) -> TrialConfig:
    return TrialConfig(
        model=model,
        seed=seed,
        **{
            "objective": Gan(),
            "training": TrainingConfig(iterations=30, batch_size=16, critic_steps=2, ema=0.5, decay=0.0),
            **sections,
        },
    )
