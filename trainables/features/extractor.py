"""What a feature extractor is, and how images are fed to one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from trainables.refusals import other_channels, out_of_range, several_dimensions

__all__ = ["Extractor", "Features", "extract", "file_fingerprint", "identity", "resize", "to_bytes_range"]


@dataclass(frozen=True)
class Extractor:
    """A map from images to features.

    - ``name``: what the user calls it;
    - ``fingerprint``: changes whenever its output would (weights, layers, preprocessing); part of every cache key;
    - ``prepare``: a batch of images (n, c, h, w) in 0…255 → the network's input;
    - ``forward``: that input → features (n, d), and class logits (n, classes) or None;
    - ``description``: resizing and scaling in words, for reports;
    - ``images``: whether it looks at images, which come in 0…255; points come as they are.
    """

    name: str
    fingerprint: str
    prepare: Callable[[Tensor], Tensor]
    forward: Callable[[Tensor], tuple[Tensor, Tensor | None]]
    description: str
    module: torch.nn.Module | None = None
    images: bool = True


@dataclass(frozen=True, eq=False)
class Features:
    """Features (N, d) and, where the network has them, logits (N, classes)."""

    values: Tensor
    logits: Tensor | None = None


def extract(
    extractor: Extractor,
    batches: Iterable[Tensor],
    device: str | torch.device = "cpu",
    progress: Callable[[int], None] | None = None,
) -> Features:
    """Features of all ``batches`` (uint8 in 0…255 or floats in [0, 1]), on ``device``; progress in samples."""
    values: list[Tensor] = []
    logits: list[Tensor] = []
    if extractor.module is not None:
        extractor.module.to(device).eval()
    done = 0
    with torch.inference_mode():
        for batch in batches:
            found, scores = extractor.forward(extractor.prepare(_scaled(batch.to(device), extractor.images)))
            values.append(found.float())
            if scores is not None:
                logits.append(scores.float())
            done += len(batch)
            if progress is not None:
                progress(done)
    if not values:
        raise ValueError("no images to extract features from; give at least one batch")
    widths = {part.shape[1] for part in values}
    if len(widths) > 1:
        raise several_dimensions(extractor.name, widths)
    return Features(torch.cat(values).clone(), torch.cat(logits).clone() if logits else None)


def _scaled(batch: Tensor, images: bool) -> Tensor:
    return to_bytes_range(batch) if images else batch


def to_bytes_range(images: Tensor) -> Tensor:
    """Images as floats in 0…255: bytes as they are, floats in [0, 1] times 255; anything else is refused."""
    if images.dtype == torch.uint8:
        return images.float()
    if not images.is_floating_point():
        raise ValueError(
            f"images must be bytes or floats in [0, 1], got {images.dtype}; convert them to uint8"
        )
    low, high = float(images.min()), float(images.max())
    if not (low >= 0 and high <= 1):  # NaN too
        raise out_of_range(low, high)
    return images.float() * 255


def resize(images: Tensor, side: int) -> Tensor:
    """To ``side``×``side`` with three channels: bilinear, corners not aligned, no antialiasing (as pytorch-fid)."""
    if images.ndim != 4 or images.shape[1] not in (1, 3):
        raise other_channels(tuple(images.shape))
    if images.shape[1] == 1:
        images = images.expand(-1, 3, -1, -1)
    if images.shape[-2:] == (side, side):
        return images
    return torch.nn.functional.interpolate(images, size=(side, side), mode="bilinear", align_corners=False)


def file_fingerprint(path: Path) -> str:
    """SHA-256 of a file's bytes, shortened."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()[:16]


def identity(images: bool = True) -> Extractor:
    """Samples flattened: pixels in [0, 1], or points as they are."""
    return Extractor(
        name="identity",
        fingerprint="identity-1",
        prepare=lambda x: x / 255 if images else x,
        forward=lambda x: (x.flatten(1), None),
        description="pixels, flattened, scaled to [0, 1]" if images else "points as they are",
        images=images,
    )
