"""DCGAN (Radford et al. 2016) for square images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from trainables.family import at_most, positive
from trainables.models.layers.pyramid import check_pyramid, doubled, sides
from trainables.models.mlp_gan import WIDEST, check_weights, lam_weights
from trainables.models.model import Model

if TYPE_CHECKING:
    from torch import nn

__all__ = ["Dcgan"]


@dataclass(frozen=True)
class Dcgan(Model):
    """Strided 4 × 4 convolutions from a base of 4 to 7 pixels up to the image, and back down in the critic.

    ``width`` channels at half the image's side, twice as many at every half of that, at most 8 times; ``critic_width``
    for a critic that is wider or narrower than its generator. The critic has no batch normalisation. With ``takes_lam``
    log λ modulates the channels of every stage of both networks.

    Attributes:
        latent: dimension of the latent z.
        width: channels at half the image's side, twice as many at every half of that.
        batch_norm: whether the generator has batch normalisation.
        takes_lam: whether both networks take log λ as an input, so that one model can be trained for a range of λ.
        critic_width: the same width of the critic; left open, that of the generator.
    """

    name: ClassVar[str] = "dcgan"
    latent: int = 64
    width: int = 64
    batch_norm: bool = True
    takes_lam: bool = False
    critic_width: int | None = None

    @property
    def _widths(self) -> tuple[int, int]:
        """Of generator and critic."""
        return self.width, self.critic_width or self.width

    def check(self) -> None:
        """Widths are positive."""
        critic = {} if self.critic_width is None else {"model.critic_width": self.critic_width}
        positive(**{"model.latent": self.latent, "model.width": self.width, **critic})
        wide = {f"8 × {name}": 8 * width for name, width in {"model.width": self.width, **critic}.items()}
        at_most(WIDEST, **{"model.latent": self.latent, **wide})

    def check_data(self, shape: tuple[int, ...], classes: int | None) -> None:
        """Square images whose side is a small base times a power of two."""
        check_pyramid(self.name, shape)
        check_weights(*self._counted(shape, [1.0] * len(sides(shape[1])), [1.0] * len(sides(shape[1]))))

    def build_generator(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        """latent → base → image, between -1 and 1."""
        from trainables.models.layers.dcgan import DCGANGenerator

        return DCGANGenerator(self.latent, self.width, shape, self.batch_norm, self.takes_lam)

    def build_critic(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        """image → base → logit."""
        from trainables.models.layers.dcgan import DCGANCritic, LamDCGANCritic

        return (LamDCGANCritic if self.takes_lam else DCGANCritic)(self._widths[1], shape)

    def multiplications(self, shape: tuple[int, ...], classes: int | None) -> tuple[float, float]:
        """Weights times the places where they are used; a transposed one works on a margin of one more."""
        stages = sides(shape[1])
        return self._counted(shape, [(side + 1.0) ** 2 for side in stages], [side**2 for side in stages])

    def _counted(
        self, shape: tuple[int, ...], growing: Sequence[float], shrinking: Sequence[float]
    ) -> tuple[float, float]:
        """Weights of both networks, those of a convolution times the number given for its smaller side."""
        wide = [doubled(shape[1], width) for width in self._widths]
        kernels = [[16.0 * a * b for a, b in pairwise((*own, shape[0]))] for own in wide]
        ends = [own[0] * sides(shape[1])[0] ** 2 for own in wide]
        lam = [self.takes_lam * lam_weights(*own) for own in wide]
        generator = self.latent * ends[0] + sum(k * n for k, n in zip(kernels[0], growing, strict=False))
        critic = ends[1] + sum(k * n for k, n in zip(kernels[1], shrinking, strict=False))
        return generator + lam[0], critic + lam[1]
