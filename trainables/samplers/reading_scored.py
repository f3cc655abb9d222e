"""Scored samples from a path: a .npz file, or a folder of images."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from trainables.image_paths import image_paths
from trainables.samplers.array_samples import ArraySamples, array_names, read_member
from trainables.samplers.image_samples import ImageSamples
from trainables.samplers.scales import Scale
from trainables.samplers.score_files import read_scores
from trainables.samplers.scored import Samples, Scored

__all__ = ["read_samples", "read_scored"]

SAMPLES = ("samples", "features", "images")
"""Names that the array of samples may have."""
SCORES, LABELS, REAL = "scores", "labels", "real_scores"


def read_scored(path: str | Path, scale: Scale = "logit") -> Scored:
    """Samples and scores; a sentence says what is missing. Samples themselves are read when they are asked for.

    A file of ``numpy.savez`` has ``samples`` (or ``features`` or ``images``) and ``scores`` (N,), and may have
    ``labels`` (N,) and ``real_scores`` (R,). A folder has images, and ``scores.csv`` or ``scores.npy``.
    """
    place = Path(path).expanduser()
    if place.is_dir():
        names, scores = read_scores(place)
        return Scored(ImageSamples(place, names), scores.float(), scale)
    arrays = array_names(place)
    named = _sample_array(place, arrays)
    samples = ArraySamples(place, named)
    if SCORES not in arrays:
        raise ValueError(
            f"{place} must have an array '{SCORES}' beside '{named}', got {', '.join(sorted(arrays))}"
        )
    real = _numbers(place, REAL).float() if REAL in arrays else None
    labels = _labels(place) if LABELS in arrays else None
    return Scored(samples, _numbers(place, SCORES).float(), scale, labels, real)


def read_samples(path: str | Path) -> tuple[Samples, Tensor | None]:
    """Samples without their scores, and their classes (N,) where they are told; of a folder in the order of names."""
    place = Path(path).expanduser()
    if place.is_dir():
        names = [Path(image).name for image in image_paths(place, deep=False)]
        if not names:
            raise ValueError(f"{place} must hold images, but has none; give the folder they lie in")
        return ImageSamples(place, names), None
    arrays = array_names(place)
    samples = ArraySamples(place, _sample_array(place, arrays))
    return samples, _labels(place) if LABELS in arrays else None


def _sample_array(path: Path, arrays: Collection[str]) -> str:
    """The name of the array that has samples, among those of a file."""
    found = [name for name in SAMPLES if name in arrays]
    if len(found) != 1:
        raise ValueError(
            f"{path} must have one array named {' or '.join(SAMPLES)}, got {', '.join(sorted(arrays)) or 'none'}"
        )
    return found[0]


def _numbers(path: Path, member: str) -> Tensor:
    """(N,) of (N,) or (N, 1)."""
    found = read_member(path, member)
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    if found.ndim != 1:
        raise ValueError(f"'{member}' of {path} must be (N,), one number a sample, got shape {found.shape}")
    return torch.from_numpy(found.astype(np.float64))


def _labels(path: Path) -> Tensor:
    found = read_member(path, LABELS)
    if found.dtype.kind not in "iu":
        raise ValueError(f"'{LABELS}' of {path} must be whole numbers, got {found.dtype}")
    return torch.from_numpy(found.astype(np.int64))
