"""What ``tradeoff measure`` reads: arrays of features or images, and folders of images."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.errors import UserError
from explorer.measure.array_files import outline_npy, outline_npz, read_npy, read_npz
from explorer.measure.files import is_folder, named
from explorer.measure.images import outline_folder, read_image
from explorer.measure.outline import Outline, channels_last
from explorer.measure.torch_files import outline_torch, read_torch

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["SampleSet", "load_set", "outline_set"]

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


def load_set(outline: Outline) -> SampleSet:
    """The set itself."""
    if outline.files:
        return SampleSet(outline.path, files=outline.files)
    array, labels = _read(outline)
    return SampleSet(outline.path, array=_arranged(array), labels=_checked(labels, outline))


def _read(outline: Outline) -> tuple[Tensor, Tensor | None]:
    import torch

    path, kind = outline.path, outline.path.suffix.lower()
    if kind in (".pt", ".pth"):
        tensors = read_torch(path)
        return tensors[outline.array], tensors.get("labels")
    if kind == ".npy":
        return torch.from_numpy(read_npy(path)), None
    labels = torch.from_numpy(read_npz(path, "labels")) if outline.labelled else None
    return torch.from_numpy(read_npz(path, outline.array)), labels


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
