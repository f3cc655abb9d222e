"""A flow: invertible parts in a row between latents and data, with an exact density."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from trainables.models.image_flow import BEND, FLATTEST, MARGIN, STEEPEST, WIDTH
from trainables.models.layers.bijection import Bijection

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
    """Reals to pixels: x = tanh(y / 2) / (1 - 2α) up to the bend, and steeper again beyond.

    Up to there it is the inverse of Dinh's logit(α + (1 - 2α) u), u = (x + 1) / 2. Beyond, a parabola leads from the
    slope at the bend to a line as steep as the middle. So the map does not saturate: what a critic drives far beyond
    black and white still has a gradient, and its latents are found again, of which tanh in float32 leaves none.
    """

    def forward(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        """With ``inverse`` logits of pixels, else pixels of logits."""
        if inverse:
            inner = x.clamp(-_PIXEL, _PIXEL)
            curved = (x - inner).clamp(-_RISE, _RISE)
            # The root t of FLATTEST t + _CURVE t |t| / 2 = curved.
            slope = (FLATTEST**2 + 2 * _CURVE * curved.abs()).sqrt()
            beyond = 2 * curved / (FLATTEST + slope) + (x - inner - curved) / STEEPEST
            y = 2 * torch.atanh(inner / _REACH) + beyond
            return y, -_log_slope(y)
        inner = x.clamp(-_LOGIT, _LOGIT)
        curved = (x - inner).clamp(-WIDTH, WIDTH)
        beyond = curved * (FLATTEST + _CURVE / 2 * curved.abs()) + STEEPEST * (x - inner - curved)
        return _REACH * torch.tanh(inner / 2) + beyond, _log_slope(x)


_REACH = 1 / (1 - 2 * MARGIN)
_LOGIT, _PIXEL = 2 * math.atanh(BEND), _REACH * BEND
"""Where the map bends."""
_CURVE = (STEEPEST - FLATTEST) / WIDTH
_RISE = WIDTH * (STEEPEST + FLATTEST) / 2
"""How fast it steepens from there on, and how far it has come when it is a line."""


def _log_slope(y: Tensor) -> Tensor:
    """log ∂x/∂y summed: log(2 reach σ(y) σ(-y)) up to the bend, and that of the parabola and line beyond."""
    inner = y.clamp(-_LOGIT, _LOGIT)
    curved = (y - inner).abs().clamp(max=WIDTH)
    steeper = torch.log1p(_CURVE / FLATTEST * curved)
    return summed(math.log(2 * _REACH) + F.logsigmoid(inner) + F.logsigmoid(-inner) + steeper)


class Flow(Bijection):
    """x = G(z), z ~ N(0, I): parts from latents to data. A flow of images ends in ``Bent``."""

    def __init__(self, parts: Iterable[Part], images: bool) -> None:
        super().__init__()
        self.images = images
        self.parts = Row([*parts, Bent()] if images else parts)

    def walk(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        """Through all parts."""
        y, log_det = self.parts(x, inverse)
        return y, log_det

    def forward(self, z: Tensor) -> Tensor:
        """Samples (n, *shape) of latents z (n, *shape).

        Outside training images are clipped to [-1, 1], as Dinh's and Kingma's are when they are shown: what the flow
        puts beyond is black or white. In training it is not, so that gradients remain.
        """
        x = self.parts.move(z, inverse=False)
        return x if self.training or not self.images else x.clamp(-1.0, 1.0)
