"""The residual GAN of spectral normalisation (Miyato et al. 2018) for square images."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from trainables.family import at_most, positive
from trainables.models.layers.block_costs import convolution_cost, critic_cost, generator_cost
from trainables.models.layers.pyramid import check_pyramid, sides
from trainables.models.model import Model

if TYPE_CHECKING:
    from torch import nn

__all__ = ["ResnetGan"]


@dataclass(frozen=True)
class ResnetGan(Model):
    """Residual blocks: 2 · width channels in the generator, with batch normalisation, width in the critic, without.

    Of size ``miyato`` on 32 × 32 it is the paper's network for CIFAR-10; other sides have more or fewer blocks. The
    spectral norms of the critic are the business of ``constraint: spectral``.

    Attributes:
        latent: dimension of the latent z.
        width: channels of the critic; the generator has twice as many.
    """

    name: ClassVar[str] = "resnet_gan"
    shorthands: ClassVar[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {
        "size": {"small": {"width": 32}, "miyato": {"width": 128}}
    }
    latent: int = 128
    width: int = 32

    def check(self) -> None:
        """Widths are positive and can be held."""
        positive(**{"model.latent": self.latent, "model.width": self.width})
        at_most(4096, **{"model.latent": self.latent})
        at_most(1024, **{"model.width": self.width})

    def check_data(self, shape: tuple[int, ...], classes: int | None) -> None:
        """Square images whose side is a small base times a power of two."""
        check_pyramid(self.name, shape)

    def build_generator(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        """latent → base → image, between -1 and 1."""
        from trainables.models.layers.resnet import ResNetGenerator

        return ResNetGenerator(self.latent, 2 * self.width, shape)

    def build_critic(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        """image → blocks → logit."""
        from trainables.models.layers.resnet import ResNetCritic

        return ResNetCritic(self.width, shape)

    def multiplications(self, shape: tuple[int, ...], classes: int | None) -> tuple[float, float]:
        """Weights of convolutions times the places of their outputs."""
        (base, *grown), wide = sides(shape[1]), 2 * self.width
        generator = self.latent * wide * base**2 + sum(generator_cost(wide, wide, side) for side in grown)
        downs = [True] * (len(grown) - 1) + [False] * 2
        critic = critic_cost(shape[0], [self.width] * len(downs), downs, shape[1])
        return generator + convolution_cost(3, wide, shape[0], shape[1]), critic + self.width
