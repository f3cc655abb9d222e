"""A flow: invertible parts in a row between latents and data, with an exact density."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from trainables.models.image_flow import MARGIN

__all__ = ["Bounded", "Flow", "Part", "Row", "summed"]

_EDGE = 1e-4
"""Pixels beyond the reach of the flow are drawn this far (of the reach) inside it: no NaN, whatever comes."""


def summed(values: Tensor) -> Tensor:
    """(n, …) → (n,): summed over all but the batch."""
    return values.flatten(1).sum(1)


class Part(nn.Module, ABC):
    """One invertible map. Without ``inverse`` it goes from latents to data, with it from data to latents."""

    @abstractmethod
    def forward(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        """(y, log|det ∂y/∂x|) of x; shapes (n, *shape) → (n, *shape), (n,)."""

    def move(self, x: Tensor, inverse: bool) -> Tensor:
        """y alone, for parts whose determinant costs more than they do."""
        y: Tensor = self(x, inverse)[0]
        return y


class Row(Part):
    """Parts in a row, from latents to data."""

    def __init__(self, parts: Iterable[Part]) -> None:
        super().__init__()
        self.parts = nn.ModuleList(parts)

    def forward(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        """One after the other; log-determinants add up."""
        total = x.new_zeros(x.shape[0])
        for part in reversed(self.parts) if inverse else self.parts:
            x, log_det = part(x, inverse)
            total = total + log_det
        return x, total

    def move(self, x: Tensor, inverse: bool) -> Tensor:
        """The same without determinants."""
        for part in reversed(self.parts) if inverse else self.parts:
            assert isinstance(part, Part)
            x = part.move(x, inverse)
        return x


class Bounded(Part):
    """x = tanh(y / 2) / (1 - 2α): reals to pixels.

    It is the inverse of Dinh's logit(α + (1 - 2α) u), u = (x + 1) / 2. Pixels of [-1, 1] lie inside its range
    ±1 / (1 - 2α), and so does noise of width < 0.22 on them, by which data of few grey levels get a density.
    """

    def __init__(self, margin: float = MARGIN) -> None:
        super().__init__()
        self.reach = 1 / (1 - 2 * margin)

    def forward(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        """With ``inverse`` logits of pixels, else pixels of logits."""
        if inverse:
            y = 2 * torch.atanh((x / self.reach).clamp(-1 + _EDGE, 1 - _EDGE))
            return y, -self._log_slope(y)
        return self.reach * torch.tanh(x / 2), self._log_slope(x)

    def _log_slope(self, y: Tensor) -> Tensor:
        """log ∂x/∂y = log(2 reach σ(y) σ(-y)), summed."""
        return summed(math.log(2 * self.reach) + F.logsigmoid(y) + F.logsigmoid(-y))


class Flow(nn.Module):
    """x = G(z), z ~ N(0, I): parts from latents to data. A flow of images ends in ``Bounded``."""

    def __init__(self, parts: Iterable[Part], images: bool) -> None:
        super().__init__()
        self.images = images
        self.parts = Row([*parts, Bounded()] if images else parts)

    def transform(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        """(G(x), log|det ∂G|) or, with ``inverse``, (G⁻¹(x), log|det ∂G⁻¹|); (n, *shape) → (n, *shape), (n,)."""
        y, log_det = self.parts(x, inverse)
        return y, log_det

    def forward(self, z: Tensor) -> Tensor:
        """Samples (n, *shape) of latents z (n, *shape).

        Outside training images are clipped to [-1, 1], as Dinh's and Kingma's are when they are shown: what the flow
        puts beyond, up to ±1.11, is black or white. In training it is not, so that gradients remain.
        """
        x = self.parts.move(z, inverse=False)
        return x if self.training or not self.images else x.clamp(-1.0, 1.0)

    def log_prob(self, x: Tensor) -> Tensor:
        """log q(x) = log N(G⁻¹(x); 0, I) + log|det ∂G⁻¹(x)| at data x (n, *shape) → (n,)."""
        z, log_det = self.transform(x, inverse=True)
        return summed(-0.5 * z.square() - 0.5 * math.log(2 * math.pi)) + log_det
