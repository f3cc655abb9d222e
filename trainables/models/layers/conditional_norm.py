"""Batch normalisation of images whose gain and shift depend on the class, or on a code of class and latent."""

from __future__ import annotations

from abc import ABC, abstractmethod

from torch import Tensor, nn

__all__ = ["ClassNorm", "CodeNorm", "ConditionalNorm", "PlainNorm"]


class ConditionalNorm(nn.Module, ABC):
    """x (n, c, h, w) ↦ gain · (x - mean) / deviation + shift, both of a condition."""

    @abstractmethod
    def forward(self, x: Tensor, condition: Tensor | None) -> Tensor:
        """Normalised images."""


class PlainNorm(ConditionalNorm):
    """Gain and shift are parameters; the condition is not looked at."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x: Tensor, condition: Tensor | None) -> Tensor:
        """Normalised images."""
        out: Tensor = self.norm(x)
        return out


class ClassNorm(ConditionalNorm):
    """Every class has its own gain and shift (Dumoulin et al. 2017); the condition is classes (n,)."""

    def __init__(self, channels: int, classes: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(channels, affine=False)
        self.gain_embedding = nn.Embedding(classes, channels)
        self.shift_embedding = nn.Embedding(classes, channels)

    def forward(self, x: Tensor, condition: Tensor | None) -> Tensor:
        """Normalised images."""
        return _modulated(self.norm(x), self.gain_embedding(condition), self.shift_embedding(condition))


class CodeNorm(ConditionalNorm):
    """Gain and shift are linear in a code (n, features), which all layers share in part (Brock et al. 2019)."""

    def __init__(self, channels: int, features: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm2d(channels, affine=False)
        self.gain = nn.Linear(features, channels, bias=False)
        self.shift = nn.Linear(features, channels, bias=False)

    def forward(self, x: Tensor, condition: Tensor | None) -> Tensor:
        """Normalised images."""
        return _modulated(self.norm(x), self.gain(condition), self.shift(condition))


def _modulated(x: Tensor, gain: Tensor, shift: Tensor) -> Tensor:
    return (1 + gain)[..., None, None] * x + shift[..., None, None]
