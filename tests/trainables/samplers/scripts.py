"""Networks of a user's own as TorchScript files, some of them with faults."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

__all__ = ["Batched", "Constant", "Critic", "Generator", "Images", "Judge", "Noisy", "Stopped", "saved"]


def saved(network: nn.Module, path: Path) -> Path:
    """The network in a file."""
    torch.jit.script(network).save(str(path))
    return path


class Generator(nn.Module):
    """Q = N(0, 1): its latents as they are."""

    def __init__(self) -> None:
        super().__init__()
        self.z_dim = 1
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, z: Tensor) -> Tensor:
        return self.scale * z


class Critic(nn.Module):
    """log p/q for P = N(1, 1): x - 1/2."""

    def forward(self, x: Tensor) -> Tensor:
        return x - 0.5


class Noisy(Generator):
    """It draws numbers of its own."""

    def forward(self, z: Tensor) -> Tensor:
        return z + 0.1 * torch.randn_like(z)


class Batched(Generator):
    """Draws depend on those beside them."""

    def forward(self, z: Tensor) -> Tensor:
        return (z - z.mean()) / z.std()


class Stopped(Generator):
    """No gradient gets through."""

    def forward(self, z: Tensor) -> Tensor:
        return z.detach() + 0.0


class Constant(nn.Module):
    """The same number for everything."""

    def __init__(self, value: float, width: int = 1) -> None:
        super().__init__()
        self.value, self.width = value, width

    def forward(self, x: Tensor) -> Tensor:
        return torch.full((x.shape[0], self.width), self.value)


class Images(nn.Module):
    """Images (m, 1, 8, 8) in [-1, 1] of latents (m, 4, 1, 1), in double precision."""

    def __init__(self) -> None:
        super().__init__()
        self.latent = (4, 1, 1)
        generator = torch.Generator().manual_seed(0)
        self.weight = nn.Parameter(torch.randn(4, 64, generator=generator).double())
        self.most = 0

    def forward(self, z: Tensor) -> Tensor:
        self.most = max(self.most, z.shape[0])
        return torch.tanh(z.flatten(1) @ self.weight).reshape(-1, 1, 8, 8)


class Judge(nn.Module):
    """Bright images are likelier."""

    def forward(self, x: Tensor) -> Tensor:
        return 2 * x.mean(dim=[1, 2, 3])
