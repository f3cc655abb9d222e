"""A flow: invertible parts in a row between latents and data, with an exact density."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from trainables.models.image_flow import BEND, FLATTEST, MARGIN

__all__ = ["Bent", "Flow", "Part", "Row", "summed"]


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


class Bent(Part):
    """x = tanh(y / 2) / (1 - 2α) where pixels and their noise are, and its tangent beyond: reals to pixels.

    It is the inverse of Dinh's logit(α + (1 - 2α) u), u = (x + 1) / 2, but does not saturate: what a critic drives far
    beyond black and white still has a gradient, and its latents are found again, of which tanh in float32 leaves none.
    """

    def forward(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        """With ``inverse`` logits of pixels, else pixels of logits."""
        if inverse:
            inner = x.clamp(-_PIXEL, _PIXEL)
            y = 2 * torch.atanh(inner / _REACH) + (x - inner) / FLATTEST
            return y, -_log_slope(y)
        inner = x.clamp(-_LOGIT, _LOGIT)
        return _REACH * torch.tanh(inner / 2) + FLATTEST * (x - inner), _log_slope(x)


_REACH = 1 / (1 - 2 * MARGIN)
_LOGIT, _PIXEL = 2 * math.atanh(BEND), _REACH * BEND
"""Where the map bends."""


def _log_slope(y: Tensor) -> Tensor:
    """log ∂x/∂y = log(2 reach σ(y) σ(-y)), summed; that of the tangent beyond the bend."""
    y = y.clamp(-_LOGIT, _LOGIT)
    return summed(math.log(2 * _REACH) + F.logsigmoid(y) + F.logsigmoid(-y))


class Flow(nn.Module):
    """x = G(z), z ~ N(0, I): parts from latents to data. A flow of images ends in ``Bent``."""

    def __init__(self, parts: Iterable[Part], images: bool) -> None:
        super().__init__()
        self.images = images
        self.parts = Row([*parts, Bent()] if images else parts)

    def transform(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        """(G(x), log|det ∂G|) or, with ``inverse``, (G⁻¹(x), log|det ∂G⁻¹|); (n, *shape) → (n, *shape), (n,)."""
        y, log_det = self.parts(x, inverse)
        return y, log_det

    def forward(self, z: Tensor) -> Tensor:
        """Samples (n, *shape) of latents z (n, *shape).

        Outside training images are clipped to [-1, 1], as Dinh's and Kingma's are when they are shown: what the flow
        puts beyond is black or white. In training it is not, so that gradients remain.
        """
        x = self.parts.move(z, inverse=False)
        return x if self.training or not self.images else x.clamp(-1.0, 1.0)

    def log_prob(self, x: Tensor) -> Tensor:
        """log q(x) = log N(G⁻¹(x); 0, I) + log|det ∂G⁻¹(x)| at data x (n, *shape) → (n,)."""
        z, log_det = self.transform(x, inverse=True)
        return summed(-0.5 * z.square() - 0.5 * math.log(2 * math.pi)) + log_det
