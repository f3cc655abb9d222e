"""A bijection between latents and data, and the density that it gives to data."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from itertools import chain

from torch import Tensor, nn
from torch.func import functional_call

from trainables.models.layers.exactly import exactly
from trainables.models.layers.methods import Face

__all__ = ["Bijection"]


class Bijection(nn.Module, ABC):
    """x = G(z), z ~ N(0, I), with an inverse and a log-determinant either way."""

    @abstractmethod
    def walk(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        """(G(x), log|det ∂G|) or, with ``inverse``, (G⁻¹(x), log|det ∂G⁻¹|), in the precision that parameters have.

        Shapes (n, *shape) → (n, *shape), (n,).
        """

    def transform(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        """The same in double precision, whatever parameters and x have, and exactly: one way undoes the other.

        Where ``walk`` iterates to a tolerance or estimates a determinant, this does not (``residual``: determinants up
        to 1,024 dimensions). A flow that contracts by c takes what a sample loses by its being float32, 6e-8 |x|, for
        6e-8 |x| / c of its latent: 1e-4 and more on images, whose background a flow of high likelihood holds within a
        grey level. So samples that are to be inverted are left in double. Costs a copy of the parameters for the call;
        gradients flow to them.
        """
        named = chain(self.named_parameters(), self.named_buffers())
        exact = {f"inner.{name}": value.double() for name, value in named if value.is_floating_point()}
        with exactly():
            y, log_det = functional_call(Face(self), exact, ("walk", x.double(), inverse))
        return y, log_det

    def log_prob(self, x: Tensor) -> Tensor:
        """log q(x) = log N(G⁻¹(x); 0, I) + log|det ∂G⁻¹(x)| at data x (n, *shape) → (n,)."""
        z, log_det = self.walk(x, inverse=True)
        latent = -0.5 * z.square() - 0.5 * math.log(2 * math.pi)
        return latent.flatten(log_det.ndim).sum(-1) + log_det
