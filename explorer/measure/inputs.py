"""What ``tradeoff measure`` reads: arrays of features or images, and folders of images."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.errors import UserError
from explorer.measure.array_files import outline_npy, outline_npz, read_npy, read_npz
from explorer.measure.files import is_folder, named
from explorer.measure.images import outline_folder, read_image
from explorer.measure.outline import Outline, channels_last
from explorer.measure.torch_files import outline_torch, read_torch
from trainables.finite import not_finite

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

    _Arrays = tuple[NDArray[Any], NDArray[Any] | None]

__all__ = ["SampleSet", "load_sets", "outline_set"]

OUTLINES = {".npy": outline_npy, ".npz": outline_npz, ".pt": outline_torch, ".pth": outline_torch}
MOST_CLASSES = 1 << 16
BATCH_PIXELS = 1 << 24


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


def load_sets(real: Outline, fake: Outline) -> tuple[SampleSet, SampleSet]:
    """The sets themselves. Arrays of numpy are read and looked at before torch is loaded, which takes longer."""
    arrays = [_read_arrays(outline, name) for outline, name in ((real, "REAL"), (fake, "FAKE"))]
    ours, theirs = (_as_set(*both) for both in zip((real, fake), arrays, strict=True))
    return ours, theirs


def _read_arrays(outline: Outline, name: str) -> _Arrays | None:
    """Samples, finite where they are features, and labels of a file of numpy's; None if it is no such file."""
    kind = outline.path.suffix.lower()
    if outline.files or kind not in (".npy", ".npz"):
        return None
    samples = read_npy(outline.path) if kind == ".npy" else read_npz(outline.path, outline.array)
    if (
        outline.is_features and samples.dtype.kind == "f"
    ):  # images have a sentence of their own, on their range
        bad = int((~_finite(samples)).sum())
        if bad:
            raise not_finite(name, bad, len(samples))
    return samples, read_npz(outline.path, "labels") if outline.labelled else None


def _finite(samples: NDArray[Any]) -> NDArray[np.bool_]:
    """Which samples (N, …) hold finite numbers only → (N,), a few megabytes at a time."""
    import numpy as np

    rows = max(1, (1 << 22) // max(1, samples[:1].size))
    pieces = (samples[start : start + rows] for start in range(0, len(samples), rows))
    return np.concatenate([np.isfinite(piece).reshape(len(piece), -1).all(axis=1) for piece in pieces])


def _as_set(outline: Outline, arrays: _Arrays | None) -> SampleSet:
    if outline.files:
        return SampleSet(outline.path, files=outline.files)
    import torch

    if arrays is None:
        tensors = read_torch(outline.path)
        samples, labels = tensors[outline.array], tensors.get("labels")
    else:
        samples = torch.from_numpy(arrays[0])
        labels = None if arrays[1] is None else torch.from_numpy(arrays[1])
    return SampleSet(outline.path, array=_arranged(samples), labels=_checked(labels, outline))


def _checked(labels: Tensor | None, outline: Outline) -> Tensor | None:
    """Labels as integers (N,), or None if there are none."""
    if labels is None:
        return None
    checked = labels.long()  # those beyond int64 become negative, and are refused with them
    low, high = int(checked.min()), int(checked.max())
    if low < 0 or high >= MOST_CLASSES:
        raise UserError(
            f"the labels in {named(outline.path)} must be integers 0, 1, … below {MOST_CLASSES}, "
            f"got {low} to {high}; number the classes from 0"
        )
    return checked


def _arranged(array: Tensor) -> Tensor:
    """Features (N, d) as they are; images as (N, c, h, w)."""
    if array.ndim in (1, 3):
        return array[:, None]
    return array.permute(0, 3, 1, 2) if channels_last(tuple(array.shape)) else array
