"""Images in files: each is cropped to a square in its middle, resized, and read as bytes (c, size, size)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from torch import Tensor

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["FilePart", "ImageFiles", "cores", "opened"]

MOST_PIXELS = 1 << 26
FORMATS = ("PNG", "JPEG", "BMP", "WEBP", "TIFF", "PPM")
"""Pillow looks at contents, not names, and hands some of what it knows (PostScript) to other programs."""

_CHUNK = 64


class FilePart(NamedTuple):
    """Image files and, where the data has them, their classes (N,)."""

    files: ImageFiles
    labels: Tensor | None


class ImageFiles:
    """Images of one size by their paths; nothing is read before it is asked for.

    ``crop`` is the side of the square cut from the middle, left open the largest there is. The square is resized with
    an antialiased bilinear filter, as torchvision resizes.
    """

    def __init__(self, paths: Sequence[str], size: int, grey: bool = False, crop: int | None = None) -> None:
        self._paths = list(paths)
        self._grey, self._crop = grey, crop
        self.shape = (1 if grey else 3, size, size)

    def __len__(self) -> int:
        return len(self._paths)

    def chosen(self, positions: Tensor) -> ImageFiles:
        """Some of them, in that order."""
        paths = [self._paths[position] for position in positions.tolist()]
        return ImageFiles(paths, self.shape[1], self._grey, self._crop)

    def outline(self) -> Iterator[str]:
        """Name and size of every file, and what becomes of it; a file that is gone has no size."""
        yield f"{self.shape} {self._grey} {self._crop}"
        for path in self._paths:
            try:
                size = Path(path).stat().st_size
            except OSError:
                size = -1
            yield f"{'/'.join(Path(path).parts[-2:])} {size}"

    def read(self, positions: Sequence[int]) -> np.ndarray:
        """Those at ``positions`` as bytes (n, c, size, size), one after the other."""
        out = np.empty((len(positions), *self.shape), dtype=np.uint8)
        for row, position in enumerate(positions):
            out[row] = self._read(self._paths[position])
        return out

    def read_all(self, count: int | None = None) -> np.ndarray:
        """The first ``count``, or all, as bytes (n, c, size, size); threads share the work, Pillow lets them."""
        count = len(self) if count is None else count
        out = np.empty((count, *self.shape), dtype=np.uint8)

        def fill(start: int) -> None:
            part = range(start, min(start + _CHUNK, count))
            out[part.start : part.stop] = self.read(part)

        with ThreadPoolExecutor(cores()) as pool:
            try:
                list(pool.map(fill, range(0, count, _CHUNK)))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        return out

    def _read(self, path: str) -> np.ndarray:
        from PIL.Image import Resampling

        with opened(path) as image:
            side = min(image.size) if self._crop is None else self._crop
            if side > min(image.size):
                raise ValueError(
                    f"{path} must be an image of at least {side}×{side}, got {image.width}×{image.height}; remove it"
                )
            left, top = round((image.width - side) / 2), round((image.height - side) / 2)
            square = image.convert("L" if self._grey else "RGB").crop((left, top, left + side, top + side))
            pixels = np.asarray(square.resize(self.shape[1:], Resampling.BILINEAR))
        return pixels[None] if self._grey else pixels.transpose(2, 0, 1)


@contextmanager
def opened(path: str) -> Iterator[Image]:
    """The image with its header read; whatever Pillow trips over, then or later, becomes one sentence."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(Path(path), formats=FORMATS) as image:
            if image.width * image.height > MOST_PIXELS:
                raise ValueError(
                    f"{path} must have at most {MOST_PIXELS} pixels, got {image.width}×{image.height}; remove it"
                )
            if image.mode[0] in "IF":
                raise ValueError(
                    f"{path} must have 8 bits per channel, got mode {image.mode}; convert or remove it"
                )
            yield image
    except Exception as error:
        if isinstance(error, ValueError) and str(error).startswith(path):
            raise
        said = "" if isinstance(error, UnidentifiedImageError) else f" ({error})"
        raise ValueError(
            f"{path} must be an image, but it is damaged or none{said}; get it again or remove it"
        ) from error


def cores() -> int:
    """CPU cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # systems that do not bind processes to cores
        return os.cpu_count() or 1
