"""BigGAN (Brock et al. 2019): residual blocks whose normalisation knows the class, attention, a projection critic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from trainables.models.layers.attention import SelfAttention
from trainables.models.layers.conditional_norm import ClassNorm, CodeNorm, ConditionalNorm, PlainNorm
from trainables.models.layers.resnet import SumPool, critic_blocks

__all__ = ["BigGANCritic", "BigGANGenerator", "ProjectionCritic"]

_BASE = 4


class _Block(nn.Module):
    """(n, fan_in, h, w) → (n, fan_out, 2h, 2w), normalised by a condition; no biases, as the next norm undoes them."""

    def __init__(self, fan_in: int, fan_out: int, norm: Callable[[int], ConditionalNorm]) -> None:
        super().__init__()
        self.norm1, self.norm2 = norm(fan_in), norm(fan_out)
        self.conv1 = nn.Conv2d(fan_in, fan_out, 3, padding=1, bias=False)
        self.conv2 = nn.Conv2d(fan_out, fan_out, 3, padding=1, bias=False)
        self.skip = nn.Conv2d(fan_in, fan_out, 1, bias=False)

    def forward(self, x: Tensor, condition: Tensor | None) -> Tensor:
        h = self.conv1(_doubled(torch.relu(self.norm1(x, condition))))
        h = self.conv2(torch.relu(self.norm2(h, condition)))
        out: Tensor = h + _doubled(self.skip(x))
        return out


def _doubled(x: Tensor) -> Tensor:
    return F.interpolate(x, scale_factor=2)


class BigGANGenerator(nn.Module):
    """z (n, m), classes y (n,) on labelled data → images (n, c, side, side) in [-1, 1].

    ``widths``: channels of the base and after every block. Gains and shifts of the normalisations are embeddings of y
    of their own where ``shared`` is 0, else linear in one shared embedding. ``hierarchical`` splits z: one part for the
    base, one beside the shared embedding for every block.
    """

    def __init__(
        self,
        latent: int,
        widths: Sequence[int],
        channels: int,
        classes: int | None,
        shared: int = 0,
        hierarchical: bool = False,
        attention: int = 0,
    ) -> None:
        super().__init__()
        self.parts = len(widths) if hierarchical else 1
        self.latent = latent // self.parts
        self.shared_embedding = nn.Embedding(classes, shared) if classes is not None and shared else None
        features = (shared if classes is not None else 0) + (self.latent if hierarchical else 0)

        def norm(wide: int) -> ConditionalNorm:
            if features:
                return CodeNorm(wide, features)
            return ClassNorm(wide, classes) if classes is not None else PlainNorm(wide)

        self.project = nn.Linear(self.latent, widths[0] * _BASE**2)
        self.blocks = nn.ModuleList(_Block(a, b, norm) for a, b in pairwise(widths))
        self.attended = [_BASE * 2 ** (i + 1) == attention for i in range(len(self.blocks))]
        wide = [b for b, here in zip(widths[1:], self.attended, strict=True) if here]
        self.attention = SelfAttention(wide[0]) if wide else nn.Identity()
        self.last = nn.Sequential(
            nn.BatchNorm2d(widths[-1]), nn.ReLU(), nn.Conv2d(widths[-1], channels, 3, padding=1), nn.Tanh()
        )
        _initialise(self)

    def forward(self, z: Tensor, *classes: Tensor) -> Tensor:
        """Images of z and of the classes, if there are any."""
        first, *rest = z.split(self.latent, dim=-1)
        x: Tensor = self.project(first)
        x = x.unflatten(-1, (-1, _BASE, _BASE))
        for index, block in enumerate(self.blocks):
            x = block(x, self._condition(rest[index : index + 1], classes))
            x = self.attention(x) if self.attended[index] else x
        out: Tensor = self.last(x)
        return out

    def _condition(self, part: list[Tensor], classes: tuple[Tensor, ...]) -> Tensor | None:
        """What a block is told: its part of z, the shared embedding, both, or classes as they are."""
        embedded = [self.shared_embedding(*classes)] if self.shared_embedding is not None else []
        code = [*embedded, *part]
        if code:
            return torch.cat(code, dim=-1)
        return classes[0] if classes else None


class BigGANCritic(nn.Sequential):
    """Images (n, c, side, side) → blocks, attention where the side is ``attention`` → raw logits (n, 1)."""

    def __init__(
        self, widths: Sequence[int], downs: Sequence[bool], shape: tuple[int, ...], attention: int = 0
    ) -> None:
        layers: list[nn.Module] = []
        side = shape[1]
        for block, width, down in zip(critic_blocks(shape[0], widths, downs), widths, downs, strict=True):
            side = side // 2 if down else side
            layers += [block, SelfAttention(width)] if down and side == attention else [block]
        super().__init__(*layers, nn.ReLU(), SumPool(), nn.Linear(widths[-1], 1))
        _initialise(self)


class ProjectionCritic(nn.Module):
    """logit = ψ(h) + ⟨embedding(y), h⟩ of the features h = φ(x) (Miyato and Koyama 2018)."""

    def __init__(self, critic: BigGANCritic, width: int, classes: int) -> None:
        super().__init__()
        *layers, last = critic
        self.features, self.last = nn.Sequential(*layers), last
        self.embedding = nn.Embedding(classes, width)
        nn.init.orthogonal_(self.embedding.weight)

    def forward(self, x: Tensor, classes: Tensor) -> Tensor:
        """Logits (n, 1) of images and their classes."""
        h = self.features(x)
        out: Tensor = self.last(h) + (self.embedding(classes) * h).sum(-1, keepdim=True)
        return out


def _initialise(module: nn.Module) -> None:
    """Orthogonal weights, biases 0."""
    for layer in module.modules():
        if isinstance(layer, nn.Conv2d | nn.Linear | nn.Embedding):
            nn.init.orthogonal_(layer.weight)
            if getattr(layer, "bias", None) is not None:
                nn.init.zeros_(layer.bias)  # type: ignore[arg-type]
