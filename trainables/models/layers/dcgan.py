"""DCGAN (Radford et al. 2016): images from strided convolutions alone, and a critic that runs the other way."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from trainables.models.layers.film import ChannelFilm, LamEmbedding
from trainables.models.layers.pyramid import doubled, sides
from trainables.models.layers.strided import StridedConv, StridedTransposed

__all__ = ["DCGANCritic", "DCGANGenerator", "LamDCGANCritic"]

_SLOPE = 0.2


class DCGANGenerator(nn.Module):
    """z (n, m) → linear → base × base → transposed convolutions → tanh, images (n, c, side, side).

    Batch normalisation and ReLU between, as in the paper. A bias before it would be without effect, and is left out.
    With ``takes_lam`` a further argument log λ (n,) scales and shifts the channels of every stage.
    """

    def __init__(
        self, latent: int, width: int, shape: tuple[int, ...], batch_norm: bool, takes_lam: bool = False
    ) -> None:
        super().__init__()
        wide, (base, *_) = doubled(shape[1], width), sides(shape[1])
        self.start = (wide[0], base, base)
        self.project = nn.Linear(latent, wide[0] * base * base)
        self.grow = nn.ModuleList(StridedTransposed(a, b, bias=not batch_norm) for a, b in pairwise(wide))
        self.norms = nn.ModuleList(nn.BatchNorm2d(c) if batch_norm else nn.Identity() for c in wide)
        self.last = StridedTransposed(wide[-1], shape[0])
        _initialise(self, slope=0.0)
        self.embed = LamEmbedding() if takes_lam else None  # after: it begins as the identity
        self.films = nn.ModuleList(ChannelFilm(c) for c in wide) if takes_lam else None

    def forward(self, z: Tensor, *log_lam: Tensor) -> Tensor:
        """Images of z; log λ (n,) as second argument where the model takes it."""
        code = self.embed(*log_lam) if self.embed is not None else None
        x: Tensor = self.project(z).unflatten(-1, self.start)
        for stage, norm in enumerate(self.norms):
            x = norm(x if stage == 0 else self.grow[stage - 1](x))
            if self.films is not None:
                x = self.films[stage](x, code)
            x = torch.relu(x)
        return torch.tanh(self.last(x))


class DCGANCritic(nn.Sequential):
    """Images (n, c, side, side) → strided convolutions with leaky ReLUs → raw logits (n, 1).

    Without batch normalisation, which would mix the points of a batch and undo bounds on the weights.
    """

    def __init__(self, width: int, shape: tuple[int, ...]) -> None:
        wide, (base, *_) = tuple(reversed(doubled(shape[1], width))), sides(shape[1])
        layers: list[nn.Module] = []
        for fan_in, fan_out in pairwise((shape[0], *wide)):
            layers += [StridedConv(fan_in, fan_out), nn.LeakyReLU(_SLOPE)]
        super().__init__(*layers, nn.Flatten(-3), nn.Linear(wide[-1] * base * base, 1))
        _initialise(self, slope=_SLOPE)


class LamDCGANCritic(nn.Module):
    """The same with log λ (n,) as second argument, which scales and shifts the channels of every stage."""

    def __init__(self, width: int, shape: tuple[int, ...]) -> None:
        super().__init__()
        plain = list(DCGANCritic(width, shape))
        convs = [layer for layer in plain if isinstance(layer, StridedConv)]
        self.convs, self.last = nn.ModuleList(convs), nn.Sequential(*plain[-2:])
        self.embed = LamEmbedding()
        self.films = nn.ModuleList(ChannelFilm(conv.out_channels) for conv in convs)

    def forward(self, x: Tensor, log_lam: Tensor) -> Tensor:
        """Logits (n, 1)."""
        code = self.embed(log_lam)
        for conv, film in zip(self.convs, self.films, strict=True):
            x = nn.functional.leaky_relu(film(conv(x), code), _SLOPE)
        out: Tensor = self.last(x)
        return out


def _initialise(module: nn.Module, slope: float) -> None:
    """He's normal weights, biases 0. The paper's σ = 0.02 is that of about 64 channels; narrow critics would fade.

    Every output of a transposed convolution of stride 2 sees 4 of the 16 places of its kernel.
    """
    gain = nn.init.calculate_gain("leaky_relu", slope)
    for layer in module.modules():
        if isinstance(layer, StridedConv | StridedTransposed | nn.Linear):
            transposed = isinstance(layer, StridedTransposed)
            fan = 4 * layer.weight.shape[0] if transposed else layer.weight[0].numel()
            nn.init.normal_(layer.weight, std=gain / fan**0.5)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)
