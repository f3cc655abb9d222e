"""What ``tradeoff measure`` reads: arrays of features or images, and folders of images."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.errors import UserError

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["SampleSet", "load_set"]

IMAGES = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff", ".ppm", ".pgm"})
ARRAYS = frozenset({".npy", ".npz", ".pt", ".pth"})


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
        marks = "\n".join(f"{file.name} {file_fingerprint(file)}" for file in self.files)
        return hashlib.sha256(marks.encode()).hexdigest()[:16]

    @property
    def is_features(self) -> bool:
        """Whether this is an array (N, d) that needs no extractor."""
        return self.array is not None and self.array.ndim == 2

    def batches(self, size: int = 32) -> Iterator[Tensor]:
        """Images (n, c, h, w), at most ``size`` at a time; images of a folder are batched while their sizes agree."""
        import torch

        if self.array is not None:
            for start in range(0, len(self.array), size):
                yield self.array[start : start + size]
            return
        waiting: list[Tensor] = []
        for file in self.files:
            image = _read_image(file)
            if waiting and (len(waiting) == size or waiting[0].shape != image.shape):
                yield torch.stack(waiting)
                waiting = []
            waiting.append(image)
        if waiting:
            yield torch.stack(waiting)


def load_set(path: Path) -> SampleSet:
    """The set at ``path``: a .npy, .npz or .pt array, or a folder of images."""
    if path.is_dir():
        files = tuple(sorted(p for p in path.iterdir() if p.suffix.lower() in IMAGES))
        if not files:
            raise UserError(f"{path} must hold images ({', '.join(sorted(IMAGES))}), but it has none of them")
        return SampleSet(path, files=files)
    if not path.is_file():
        raise UserError(f"{path} does not exist; give a .npy, .npz or .pt file or a folder of images")
    if path.suffix.lower() not in ARRAYS:
        raise UserError(f"{path} must be a .npy, .npz or .pt file or a folder of images, got '{path.suffix}'")
    array, labels = _read_array(path)
    return SampleSet(path, array=_arranged(array, path), labels=_checked_labels(labels, len(array), path))


def _read_array(path: Path) -> tuple[Tensor, Any]:
    """The array and, if there are any, its labels; nothing is ever unpickled."""
    import numpy as np
    import torch

    try:
        if path.suffix.lower() in {".pt", ".pth"}:
            stored: Any = torch.load(path, map_location="cpu", weights_only=True)
            named = dict(stored) if isinstance(stored, dict) else {"features": stored}
        elif path.suffix.lower() == ".npy":
            named = {"features": torch.from_numpy(np.load(path, allow_pickle=False))}
        else:
            with np.load(path, allow_pickle=False) as file:
                named = {name: torch.from_numpy(file[name]) for name in file.files}
    except Exception as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(
            f"{path} must hold numeric arrays without pickled objects, but reading it failed: {reason}"
        ) from error
    labels = named.pop("labels", None)
    arrays = {k: v for k, v in named.items() if isinstance(v, torch.Tensor)}
    for name in ("features", "images", *arrays):
        if name in arrays and (len(arrays) == 1 or name in {"features", "images"}):
            return arrays[name].detach(), labels
    raise UserError(
        f"{path} must hold one array, or one named features or images, got {sorted(named) or 'none'}"
    )


def _checked_labels(labels: Any, samples: int, path: Path) -> Tensor | None:
    """Labels as integers (N,), or None if there are none."""
    import torch

    if labels is None:
        return None
    if not isinstance(labels, torch.Tensor) or labels.is_floating_point() or labels.is_complex():
        kind = getattr(labels, "dtype", type(labels).__name__)
        raise UserError(f"the labels in {path} must be an array of integers 0, 1, …, got {kind}")
    checked: Tensor = labels.long()
    if checked.shape != (samples,) or int(checked.min()) < 0:
        raise UserError(
            f"the labels in {path} must be one integer 0, 1, … per sample, got shape {tuple(checked.shape)} "
            f"for {samples} samples and smallest label {int(checked.min()) if checked.numel() else 'none'}"
        )
    return checked


def _arranged(array: Tensor, path: Path) -> Tensor:
    """Features (N, d) as they are; images as (N, c, h, w)."""
    if array.is_complex():
        raise UserError(
            f"{path} must hold real numbers, got {array.dtype}; split them into two dimensions each"
        )
    if 0 in array.shape:
        raise UserError(f"{path} must hold at least one sample, got shape {tuple(array.shape)}")
    if array.ndim == 1:
        return array[:, None]
    if array.ndim == 3:
        return array[:, None]
    if array.ndim == 4 and array.shape[1] not in (1, 3) and array.shape[3] in (1, 3):
        return array.permute(0, 3, 1, 2)
    if array.ndim in (2, 4):
        return array
    raise UserError(
        f"{path} must hold features (N, d) or images (N, h, w), (N, c, h, w) or (N, h, w, c), "
        f"got shape {tuple(array.shape)}"
    )


def _read_image(file: Path) -> Tensor:
    """One image as bytes (c, h, w): grey with one channel, else red, green and blue."""
    import numpy as np
    import torch
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(file) as image:
            image.load()
            if image.mode[0] in "IF":
                raise UserError(f"{file} must have 8 bits per channel, got mode {image.mode}; convert it")
            plain = image if image.mode == "L" else image.convert("RGB")
            pixels = np.array(plain, dtype=np.uint8)
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, SyntaxError, ValueError) as error:
        raise UserError(f"{file} must be an image, but it is damaged or none: {error}; remove it") from error
    tensor = torch.from_numpy(pixels)
    return tensor[None] if tensor.ndim == 2 else tensor.permute(2, 0, 1)
