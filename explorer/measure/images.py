"""Folders of images: their headers first, their pixels one image at a time."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from explorer.errors import UserError
from explorer.measure.files import file_size, named, reason
from explorer.measure.outline import Outline

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

__all__ = ["IMAGES", "outline_folder", "read_image"]

IMAGES = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff", ".ppm", ".pgm"})
# Pillow looks at contents, not names, and hands some of what it knows (PostScript) to other programs.
FORMATS = ("PNG", "JPEG", "BMP", "WEBP", "TIFF", "PPM")
MOST_FILES = 500_000
MOST_PIXELS = 1 << 26
TRIED, TRIED_PIXELS = 1000, 1 << 24  # images that are read before a network is loaded; a fraction of a second

logging.getLogger("PIL").addHandler(logging.NullHandler())  # its remarks on damaged files are not ours


def outline_folder(folder: Path) -> Outline:
    """The images directly in ``folder``, by name; every header is read, and the first few images whole.

    So a folder of damaged images is refused before a network is loaded for them. O(N) time, O(N) memory.
    """
    files = _listed(folder)
    if not files:
        raise UserError(
            f"{named(folder)} must hold images ({', '.join(sorted(IMAGES))}), but it has none of them"
        )
    shapes = [_shape(file) for file in files]
    for file in _first(files[:TRIED], shapes):
        read_image(file)
    channels, height, width = (max(sizes) for sizes in zip(*shapes, strict=True))
    return Outline(folder, (len(files), channels, height, width), files=files, shapes=frozenset(shapes))


def _first(files: Sequence[Path], shapes: Sequence[tuple[int, int, int]]) -> Iterator[Path]:
    """The first of the files, until they have ``TRIED_PIXELS`` together."""
    pixels = 0
    for file, (_, height, width) in zip(files, shapes, strict=False):
        if pixels >= TRIED_PIXELS:
            return
        pixels += height * width
        yield file


def read_image(file: Path) -> NDArray[np.uint8]:
    """One image as bytes (c, h, w): grey with one channel, else red, green and blue."""
    import numpy as np

    with _opened(file) as image:
        image.load()
        plain = image if image.mode == "L" else image.convert("RGB")
        pixels = np.array(plain, dtype=np.uint8)
    return pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1)


def _listed(folder: Path) -> tuple[Path, ...]:
    found = []
    with os.scandir(folder) as entries:
        for number, entry in enumerate(entries):
            if number >= MOST_FILES:
                raise UserError(
                    f"{named(folder)} must have at most {MOST_FILES} entries, but it has more; "
                    "put the images into a .npy file"
                )
            if os.path.splitext(entry.name)[1].lower() in IMAGES:  # noqa: PTH122
                found.append(entry.name)
    return tuple(folder / name for name in sorted(found))


def _shape(file: Path) -> tuple[int, int, int]:
    """(c, h, w) of an image that can be read, as its header tells it."""
    file_size(file)
    with _opened(file) as image:
        width, height = image.size
        if image.format not in ("JPEG", "MPO") and _has_second_frame(image):
            raise UserError(f"{named(file)} must be one image, but it has several frames; split it")
        return (1 if image.mode == "L" else 3), height, width


def _has_second_frame(image: Image) -> bool:
    """Whether frames follow the first; photographs in JPEG may have a second as a part of the first."""
    try:
        image.seek(1)
    except EOFError:
        return False
    return True


@contextmanager
def _opened(file: Path) -> Iterator[Image]:
    """The image with its header read; whatever Pillow trips over becomes one sentence."""
    from PIL import Image as pillow
    from PIL import UnidentifiedImageError

    try:
        with warnings.catch_warnings(action="ignore"), pillow.open(file, formats=FORMATS) as image:
            if image.width * image.height > MOST_PIXELS:
                raise UserError(
                    f"{named(file)} must have at most {MOST_PIXELS} pixels, got {image.width}×{image.height}"
                )
            if image.mode[0] in "IF":
                raise UserError(
                    f"{named(file)} must have 8 bits per channel, got mode {image.mode}; convert it"
                )
            yield image
    except UserError:
        raise
    except Exception as error:
        said = "it is none" if isinstance(error, UnidentifiedImageError) else reason(error)
        raise UserError(
            f"{named(file)} must be an image, but it is damaged or none: {said}; remove it"
        ) from error
