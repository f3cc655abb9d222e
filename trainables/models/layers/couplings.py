"""RealNVP (Dinh et al. 2017): affine couplings, exact density, exact inverse."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from trainables.models.layers.bijection import Bijection
from trainables.models.layers.perceptron import perceptron

__all__ = ["RealNVP"]

_LOG_SCALE = 2.0
"""|log scale| of one coupling stays below this, so that neither direction can overflow."""


class _Coupling(nn.Module):
    """y_a = x_a, y_b = x_b · exp(s(x_a)) + t(x_a); log|det| = Σ s."""

    def __init__(self, dim: int, width: int, flip: bool) -> None:
        super().__init__()
        self.flip = flip
        self.kept = dim - dim // 2 if flip else dim // 2
        self.net = perceptron((self.kept, width, width, 2 * (dim - self.kept)), slope=0.2)
        last = self.net[-1]
        assert isinstance(last, nn.Linear)
        nn.init.zeros_(last.weight)  # start at the identity map
        nn.init.zeros_(last.bias)

    def forward(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        x = x.flip(-1) if self.flip else x
        kept, moved = x[..., : self.kept], x[..., self.kept :]
        raw, shift = self.net(kept).chunk(2, dim=-1)
        log_scale = _LOG_SCALE * torch.tanh(raw / _LOG_SCALE)
        if inverse:
            moved, log_det = (moved - shift) * torch.exp(-log_scale), -log_scale.sum(-1)
        else:
            moved, log_det = moved * torch.exp(log_scale) + shift, log_scale.sum(-1)
        y = torch.cat((kept, moved), dim=-1)
        return (y.flip(-1) if self.flip else y), log_det


class RealNVP(Bijection):
    """A flow x = G(z), z ~ N(0, I_d), of couplings that take turns in which half they move."""

    def __init__(self, dim: int, couplings: int, width: int) -> None:
        super().__init__()
        if dim < 2:
            raise ValueError(f"a coupling splits coordinates and needs at least 2, got {dim}")
        self.couplings = nn.ModuleList(_Coupling(dim, width, flip=i % 2 == 1) for i in range(couplings))

    def walk(self, x: Tensor, inverse: bool) -> tuple[Tensor, Tensor]:
        """Through all couplings; shapes (…, d) → (…, d), (…)."""
        total = x.new_zeros(x.shape[:-1])
        for coupling in reversed(self.couplings) if inverse else self.couplings:
            x, log_det = coupling(x, inverse)
            total = total + log_det
        return x, total

    def forward(self, z: Tensor) -> Tensor:
        """Samples of latent z (…, d) → (…, d)."""
        return self.walk(z, inverse=False)[0]
