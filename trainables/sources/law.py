"""A known law: its density, and what follows from knowing it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from torch import Tensor

from trainables.randomness import Noise, Stream

__all__ = ["Law", "Modes"]


@dataclass(frozen=True)
class Modes:
    """Where the modes of a law are, seen from some points.

    Attributes:
        weights: (M,) mass of every mode.
        nearest: (n,) the mode that each point is nearest to.
        near: (n,) whether it is within three standard deviations of it.
    """

    weights: Tensor
    nearest: Tensor
    near: Tensor


class Law(ABC):
    """A law whose density is known; modes where it has them."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Shape of one sample."""

    @abstractmethod
    def to(self, device: torch.device | str) -> Law:
        """The same law with its tensors on a device."""

    @abstractmethod
    def draw(self, noise: Noise, stream: Stream, step: Tensor | int, count: int) -> Tensor:
        """(T, count, *shape) samples, pure in (seed, stream, step)."""

    @abstractmethod
    def log_prob(self, x: Tensor) -> Tensor:
        """log p at x (…, *shape) → (…)."""

    def modes(self, x: Tensor) -> Modes | None:
        """Modes as seen from points x (n, *shape); None if the law has no modes."""
        return None
