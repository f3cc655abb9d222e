"""Feature-wise modulation by log λ (Perez et al. 2018): one network for a range of λ.

h ↦ (1 + γ(e)) · h + β(e), with e a small embedding of log λ. γ and β begin at 0: the identity.
"""

from __future__ import annotations

from torch import Tensor, nn

from trainables.models.mlp_gan import LAM_CODE

__all__ = ["ChannelFilm", "Film", "LamEmbedding", "scaled"]

_SPAN = 3.0
"""log λ of the usual sweeps lies within about ±3, which is brought to ±1."""


def scaled(log_lam: Tensor) -> Tensor:
    """log λ (n,) as one input feature (n, 1) of usual size."""
    return log_lam.unsqueeze(-1) / _SPAN


class LamEmbedding(nn.Sequential):
    """log λ (n,) → e (n, LAM_CODE)."""

    def __init__(self) -> None:
        super().__init__(nn.Linear(1, LAM_CODE), nn.SiLU())

    def forward(self, log_lam: Tensor) -> Tensor:
        """The embedding of log λ."""
        out: Tensor = super().forward(scaled(log_lam))
        return out


class Film(nn.Linear):
    """(1 + γ(e)) · h + β(e) of features h (n, width) and e (n, LAM_CODE)."""

    def __init__(self, width: int) -> None:
        super().__init__(LAM_CODE, 2 * width)
        nn.init.zeros_(self.weight)
        nn.init.zeros_(self.bias)

    def forward(self, h: Tensor, code: Tensor) -> Tensor:  # type: ignore[override]
        """Features h, modulated."""
        gain, shift = super().forward(code).chunk(2, dim=-1)
        return (1 + gain) * h + shift


class ChannelFilm(Film):
    """The same of channels: h (n, width, height, width)."""

    def forward(self, h: Tensor, code: Tensor) -> Tensor:  # type: ignore[override]
        """Channels of h, modulated alike at every pixel."""
        gain, shift = nn.Linear.forward(self, code).chunk(2, dim=-1)
        return (1 + gain)[..., None, None] * h + shift[..., None, None]
