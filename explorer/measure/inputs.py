"""What ``tradeoff measure`` reads: arrays of features or images, and folders of images."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.errors import UserError
from explorer.measure.array_files import outline_npy, outline_npz, read_npy, read_npz
from explorer.measure.files import is_folder, named
from explorer.measure.images import listed, outline_folder, read_image
from explorer.measure.outline import Outline, channels_last
from explorer.measure.torch_files import outline_torch, read_torch
from trainables.refusals import not_finite, out_of_range

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

    _Arrays = tuple[NDArray[Any], NDArray[np.int64] | None]

__all__ = ["SampleSet", "check_magnitude", "check_set", "load_sets", "outline_set", "outline_sets"]

OUTLINES = {".npy": outline_npy, ".npz": outline_npz, ".pt": outline_torch, ".pth": outline_torch}
READERS = {".npy": read_npy, ".npz": read_npz, ".pt": read_torch, ".pth": read_torch}
MOST_CLASSES = 1 << 16
BATCH_PIXELS = 1 << 24
LARGEST = 1e30
"""Of a feature: kernels take its sixth power, and the Fréchet distance its fourth."""


@dataclass(frozen=True, eq=False)
class SampleSet:
    """One side of a measurement.

    - ``array``: features (N, d) or images (N, c, h, w), when it came from an array file;
    - ``files``: the images of a folder, sorted by name, when it came from one;
    - ``labels`` (N,): classes 0, 1, …, when the file carries them.
    """

    path: Path
    array: Tensor | None = None
    files: tuple[Path, ...] = ()
    labels: Tensor | None = None

    def __len__(self) -> int:
        return len(self.files) if self.array is None else len(self.array)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the bytes of the file, or of the names and bytes of the images of the folder.

        Not of sizes and times: archives unpack different images to equal names, sizes and times.
        """
        from trainables.features.extractor import file_fingerprint

        if not self.files:
            return file_fingerprint(self.path)
        marks = [b"%s %s" % (os.fsencode(f.name), file_fingerprint(f).encode()) for f in self.files]
        return hashlib.sha256(b"\n".join(marks)).hexdigest()[:16]

    @property
    def is_features(self) -> bool:
        """Whether this is an array (N, d) that needs no extractor."""
        return self.array is not None and self.array.ndim == 2

    @property
    def tensor(self) -> Tensor:
        """The array, which a folder has not."""
        if self.array is None:
            raise ValueError(f"{named(self.path)} must be an array, but it is a folder of images")
        return self.array

    def batches(self, size: int = 32) -> Iterator[Tensor]:
        """Images (n, c, h, w), at most ``size`` and ``BATCH_PIXELS`` at a time, of a folder while sizes agree."""
        import torch

        if self.array is not None:
            for start in range(0, len(self.array), size):
                yield self.array[start : start + size]
            return
        waiting: list[Tensor] = []
        for file in self.files:
            image = torch.from_numpy(read_image(file))
            room = min(size, BATCH_PIXELS // image[0].numel())
            if waiting and (len(waiting) >= room or waiting[0].shape != image.shape):
                yield torch.stack(waiting)
                waiting = []
            waiting.append(image)
        if waiting:
            yield torch.stack(waiting)


def outline_set(path: Path) -> Outline:
    """What the set at ``path`` is, a .npy, .npz or .pt array or a folder of images, from its headers alone."""
    if is_folder(path):
        return outline_folder(path)
    if path.suffix.lower() not in OUTLINES:
        raise UserError(
            f"{named(path)} must be a .npy, .npz or .pt file or a folder of images, got '{path.suffix[:20]}'"
        )
    return OUTLINES[path.suffix.lower()](path)


def outline_sets(*paths: Path) -> list[Outline]:
    """What the sets are; that there is something in each is looked at before one is gone through."""
    folders = [path for path in paths if is_folder(path)]
    for folder in folders:
        listed(folder)
    found = {path: outline_set(path) for path in sorted(set(paths), key=folders.__contains__)}
    return [found[path] for path in paths]


def load_sets(real: Outline, fake: Outline) -> tuple[SampleSet, SampleSet]:
    """The sets themselves. Their numbers are looked at before torch is loaded, which takes longer."""
    sides = {"REAL": real, "FAKE": fake}
    arrays = [None if side.files else _read_arrays(side) for side in sides.values()]
    for (name, side), read in zip(sides.items(), arrays, strict=True):
        if read is not None:
            _check_numbers(name, side, read[0], _wide(real, fake))
    ours, theirs = (_as_set(*both) for both in zip(sides.values(), arrays, strict=True))
    return ours, theirs


def check_set(name: str, side: Outline, beside: Outline) -> None:
    """Refuse the numbers that ``load_sets`` would refuse of one side; torch is not loaded for it. O(bytes)."""
    if not side.files:
        _check_numbers(name, side, _read_arrays(side)[0], _wide(side, beside))


def check_magnitude(side: str, largest: float, dimension: int, dtype: str) -> None:
    """Squared distances ‖x-y‖² ≤ 4d·max|x|², products of covariances and cubes stay finite and above zero."""
    import numpy as np

    most = min(LARGEST, math.sqrt(float(np.finfo(dtype).max) / (4 * dimension)))
    if largest > most:
        raise UserError(
            f"{side} must hold numbers up to {most:.1e}, or what is computed of them overflows {dtype}, "
            f"got {largest:.1e}; rescale the features"
        )
    if 0 < largest < 1 / LARGEST:
        raise UserError(
            f"{side} must hold numbers of {1 / LARGEST:.0e} and more, or what is computed of them underflows, "
            f"got {largest:.1e} at most; rescale the features"
        )


def _wide(*sides: Outline) -> str:
    """The type in which distances between sides are taken."""
    return "float64" if any(side.worksize == 8 for side in sides) else "float32"


def _read_arrays(outline: Outline) -> _Arrays:
    """Samples and labels of a file, as they are stored."""
    read = READERS[outline.path.suffix.lower()]
    labels = _checked(read(outline.path, "labels"), outline.path) if outline.labelled else None
    return read(outline.path, outline.array), labels


def _checked(labels: NDArray[Any], path: Path) -> NDArray[np.int64]:
    """Labels (N,) as integers."""
    checked = labels.astype("int64")  # those beyond int64 become negative, and are refused with them
    low, high = int(checked.min()), int(checked.max())
    if low < 0 or high >= MOST_CLASSES:
        raise UserError(
            f"the labels in {named(path)} must be integers 0, 1, … below {MOST_CLASSES}, "
            f"got {low} to {high}; number the classes from 0"
        )
    return checked


def _check_numbers(name: str, outline: Outline, samples: NDArray[Any], wide: str) -> None:
    """Features are finite and no larger than distances in ``wide`` bear, images in floating point lie in [0, 1]."""
    import numpy as np

    with np.errstate(invalid="ignore"):
        low, high = float(samples.min()), float(samples.max())
    if not outline.is_features:
        if samples.dtype.kind == "f" and not (low >= 0 and high <= 1):  # NaN too
            raise out_of_range(low, high)
        return
    if not (math.isfinite(low) and math.isfinite(high)):
        raise not_finite(name, int((~_finite(samples)).sum()), len(samples))
    check_magnitude(name, max(-low, high), outline.dimension, wide)


def _finite(samples: NDArray[Any]) -> NDArray[np.bool_]:
    """Which samples (N, …) hold finite numbers only → (N,), a few megabytes at a time."""
    import numpy as np

    rows = max(1, (1 << 22) // max(1, samples[:1].size))
    pieces = (samples[start : start + rows] for start in range(0, len(samples), rows))
    return np.concatenate([np.isfinite(piece).reshape(len(piece), -1).all(axis=1) for piece in pieces])


def _as_set(outline: Outline, arrays: _Arrays | None) -> SampleSet:
    if arrays is None:
        return SampleSet(outline.path, files=outline.files)
    import torch

    samples, labels = arrays
    return SampleSet(
        outline.path,
        array=_arranged(torch.from_numpy(samples)),
        labels=None if labels is None else torch.from_numpy(labels),
    )


def _arranged(array: Tensor) -> Tensor:
    """Features (N, d) as they are; images as (N, c, h, w)."""
    if array.ndim in (1, 3):
        return array[:, None]
    return array.permute(0, 3, 1, 2) if channels_last(tuple(array.shape)) else array
