"""Small images for models of images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch

from trainables.datasets import Dataset
from trainables.sources.array_source import ArraySource


@dataclass(frozen=True)
class Pictures(Dataset):
    """Horizontal and vertical waves with a little noise, two classes, in [-1, 1]."""

    name: ClassVar[str] = "pictures"
    side: int = 8
    labelled: bool = True

    @property
    def shape(self) -> tuple[int, ...]:
        return (1, self.side, self.side)

    @property
    def classes(self) -> int | None:
        return 2 if self.labelled else None

    def source(self) -> ArraySource:
        generator = torch.Generator().manual_seed(0)
        phase = 6.3 * torch.rand(80, 1, 1, generator=generator)
        wave = torch.sin(6.3 * torch.arange(self.side) / self.side + phase).expand(80, self.side, self.side)
        upright = torch.arange(80) % 2 == 0
        x = torch.where(upright[:, None, None], wave, wave.transpose(1, 2))
        x = 0.9 * x + 0.05 * torch.randn(x.shape, generator=generator).clamp(-2, 2)
        labels = upright.long() if self.labelled else None
        return ArraySource(x.unsqueeze(1), labels=labels, span=(-1.0, 1.0))
