"""Two models of handwritten digits made from data: one shows every digit, not always well, one shows half of them well.

The thesis (figures 1.2 and 3.11) compares two networks on MNIST: a diverse one whose "contours, backgrounds, and
shapes are sometimes incoherent" and a precise one that draws half of the classes. Here both redraw training images of
scikit-learn's digits (8 × 8 pixels, levels 0 to 16) with noise on every pixel, and the diverse one puts a grey ground
below some of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

__all__ = ["DigitModels", "digit_models"]

WHITE = 16.0
NOISE_DIVERSE, NOISE_PRECISE = 1.0, 0.5
GROUNDED, GROUND = 0.4, (3, 8)
CLASSES = 5


@dataclass(frozen=True, eq=False)
class DigitModels:
    """Images as rows of 64 grey levels 0, 1, …, 16, each (n, 64); no model has seen the ``real`` ones."""

    real: Tensor
    diverse: Tensor
    precise: Tensor

    def embedded(self, components: int) -> DigitModels:
        """All three in the leading principal directions of the real images, (n, components)."""
        mean = self.real.mean(0)
        directions = torch.linalg.svd(self.real - mean, full_matrices=False).Vh[:components]
        return DigitModels(*((x - mean) @ directions.T for x in (self.real, self.diverse, self.precise)))


def digit_models(samples: int = 600, seed: int = 0) -> DigitModels:
    """Held-out digits, and samples of both models of the rest."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    images, labels = torch.from_numpy(digits.data), torch.from_numpy(digits.target)
    if not 1 <= samples < len(images) // 2:
        raise ValueError(
            f"samples must be between 1 and {len(images) // 2 - 1}, got {samples}; most digits make the models"
        )
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(images), generator=generator)
    real, training = images[order[:samples]], images[order[samples:]]
    shown = training[labels[order[samples:]] < CLASSES]
    diverse = _redrawn(training, NOISE_DIVERSE, samples, generator)
    grounded = torch.rand(samples, 1, generator=generator, dtype=torch.float64) < GROUNDED
    low, high = GROUND
    level = torch.randint(low, high + 1, (samples, 1), generator=generator).double()
    return DigitModels(
        real=real,
        diverse=torch.maximum(diverse, torch.where(grounded, level, 0.0)),
        precise=_redrawn(shown, NOISE_PRECISE, samples, generator),
    )


def _redrawn(images: Tensor, noise: float, count: int, generator: torch.Generator) -> Tensor:
    """Images drawn again with Gaussian noise on every pixel, kept to the grey levels: (N, 64) → (count, 64)."""
    chosen = images[torch.randint(len(images), (count,), generator=generator)]
    noisy = chosen + noise * torch.randn(chosen.shape, generator=generator, dtype=torch.float64)
    return noisy.round().clamp(0, WHITE)
