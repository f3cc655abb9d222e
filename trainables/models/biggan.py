"""BigGAN (Brock et al. 2019), with classes and without."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from trainables.family import at_most, positive, require
from trainables.models.layers.block_costs import (
    attention_cost,
    convolution_cost,
    critic_cost,
    generator_cost,
)
from trainables.models.layers.pyramid import check_image
from trainables.models.model import Model

if TYPE_CHECKING:
    from torch import Tensor, nn

__all__ = ["BigGan"]


class _Layout(NamedTuple):
    """Channels in multiples of ``width``: of the base and after each block; after each block of the critic."""

    generator: tuple[int, ...]
    critic: tuple[int, ...]
    downs: tuple[bool, ...]


_LAYOUTS = {
    32: _Layout((4, 4, 4, 4), (4, 4, 4, 4), (True, True, False, False)),
    64: _Layout((16, 16, 8, 4, 2), (1, 2, 4, 8, 16), (True, True, True, True, False)),
    128: _Layout((16, 16, 8, 4, 2, 1), (1, 2, 4, 8, 16, 16), (True, True, True, True, True, False)),
}
"""By the side of the images; 64 and 128 are the paper's, 32 that of its authors' code for CIFAR-10."""


@dataclass(frozen=True)
class BigGan(Model):
    """Residual blocks normalised by class, with attention and a projection critic; on data without classes, plain.

    Of size ``thesis``, the default, it has the parameters of Vérine 2024, C.1.4. ``shared`` is the width of one
    embedding of the classes for all layers, 0 for embeddings of every layer's own; ``hierarchical`` also gives each
    block its part of the latent. ``attention`` is the side at which pixels attend to each other, 0 for none.
    ``orthogonal`` weighs Brock's penalty on the generator. Spectral norms are the business of the constraints.

    Attributes:
        latent: dimension of the latent z.
        width: channels that all blocks have multiples of.
        shared: width of one embedding of the classes for all layers, 0 for embeddings of every layer's own.
        hierarchical: whether each block of the generator gets its own part of the latent.
        attention: side of the image at which pixels attend to each other, 0 for nowhere.
        orthogonal: weight of the orthogonal penalty on the generator (Brock et al. 2019).
    """

    name: ClassVar[str] = "biggan"
    stacks: ClassVar[bool] = False
    conditional: ClassVar[bool] = True
    shorthands: ClassVar[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {
        "size": {"small": {"latent": 64, "width": 16}, "thesis": {"latent": 128, "width": 64}}
    }
    latent: int = 128
    width: int = 64
    shared: int = 0
    hierarchical: bool = False
    attention: int = 0
    orthogonal: float = 0.0

    def check(self) -> None:
        """Sizes can be held, and parts fit together."""
        positive(**{"model.latent": self.latent, "model.width": self.width})
        at_most(4096, **{"model.latent": self.latent, "model.shared": self.shared})
        at_most(256, **{"model.width": self.width})
        require(
            self.shared >= 0, f"model.shared must be ≥ 0, got {self.shared}; use 0 for no shared embedding"
        )
        require(
            not self.hierarchical or self.shared > 0,
            "model.hierarchical puts parts of the latent beside a shared embedding, got model.shared = 0; use 128",
        )
        require(
            0 <= self.orthogonal <= 1e6,
            f"model.orthogonal must be from 0 to 1e6, got {self.orthogonal}; the paper has 1e-4",
        )

    def check_data(self, shape: tuple[int, ...], classes: int | None) -> None:
        """Images of 32, 64 or 128 pixels; attention and parts of the latent fit them."""
        check_image(self.name, shape)
        require(
            shape[1] in _LAYOUTS,
            f"model biggan is laid out for images of side 32, 64 or 128, got {shape[1]}; use dataset size 32",
        )
        inner = [4 * 2**i for i in range(1, len(self._layout(shape).generator) - 1)]
        require(
            self.attention in (0, *inner),
            f"model.attention must be a side inside the networks, {', '.join(map(str, inner))}, or 0 for none, "
            f"got {self.attention}",
        )
        parts = len(self._layout(shape).generator)
        require(
            not self.hierarchical or self.latent % parts == 0,
            f"model.latent must be a multiple of {parts} to be split over the blocks, got {self.latent}; "
            f"use {max(1, self.latent // parts) * parts}",
        )

    def build_generator(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        """latent and class → image, between -1 and 1."""
        from trainables.models.layers.biggan import BigGANGenerator

        return BigGANGenerator(
            self.latent,
            self._wide(self._layout(shape).generator),
            shape[0],
            classes,
            self.shared,
            self.hierarchical,
            self.attention,
        )

    def build_critic(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        """image and class → logit."""
        from trainables.models.layers.biggan import BigGANCritic, ProjectionCritic

        widths = self._wide(self._layout(shape).critic)
        critic = BigGANCritic(widths, self._layout(shape).downs, shape, self.attention)
        return critic if classes is None else ProjectionCritic(critic, widths[-1], classes)

    def generator_penalty(self, parameters: Mapping[str, Tensor]) -> Tensor | None:
        """(T,) orthogonal · Σ ‖W Wᵀ ∘ (1 - I)‖² over weights as matrices (T, out, rest), embeddings left out."""
        if self.orthogonal == 0:
            return None
        from trainables.models.layers.orthogonality import off_diagonal

        weights = [w for name, w in parameters.items() if w.ndim > 2 and "embedding" not in name]
        return self.orthogonal * sum(map(off_diagonal, weights[1:]), off_diagonal(weights[0]))

    def multiplications(self, shape: tuple[int, ...], classes: int | None) -> tuple[float, float]:
        """Weights of convolutions times the places of their outputs, attention with its pairs of pixels."""
        layout, side = self._layout(shape), shape[1]
        grown, shrunk = self._wide(layout.generator), self._wide(layout.critic)
        sides = [4 * 2**i for i in range(len(grown))]
        part = self.latent // len(grown) if self.hierarchical else self.latent
        generator = part * grown[0] * 16 + convolution_cost(3, grown[-1], shape[0], side)
        for (fan_in, fan_out), out in zip(pairwise(grown), sides[1:], strict=True):
            generator += generator_cost(fan_in, fan_out, out)
        critic = critic_cost(shape[0], shrunk, layout.downs, side) + shrunk[-1]
        if self.attention:
            generator += attention_cost(grown[sides.index(self.attention)], self.attention)
            critic += attention_cost(shrunk[(side // self.attention).bit_length() - 2], self.attention)
        return generator, critic

    def _layout(self, shape: tuple[int, ...]) -> _Layout:
        return _LAYOUTS[shape[1]]

    def _wide(self, multiples: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self.width * multiple for multiple in multiples)
