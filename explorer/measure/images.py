"""Folders of images: their headers first, their pixels one image at a time."""

from __future__ import annotations

import logging
import os
import re
import sys
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

__all__ = ["IMAGES", "listed", "outline_folder", "read_image"]

IMAGES = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".webp", ".tif", ".tiff", ".ppm", ".pgm"})
# Pillow looks at contents, not names, and hands some of what it knows (PostScript) to other programs.
FORMATS = ("PNG", "JPEG", "BMP", "WEBP", "TIFF", "PPM")
MOST_FILES = 500_000
MOST_PIXELS = 1 << 24
MOST_BESIDE, MOST_PER_PIXEL = 1 << 23, 16
"""Bytes of a file beside its pixels, and for each of them: remarks and profiles, which Pillow reads piece by piece."""
SLOW, MOST_SLOW_PIXELS = frozenset({"ppm_plain", "ppm", "bmp_rle"}), 1 << 20
"""Ways to store pixels that Pillow reads one by one in Python."""
HEAD = 4096
"""Bytes in which the numbers at the beginning of a portable map end."""
TRIED, TRIED_PIXELS = 1000, 1 << 24  # images that are read before a network is loaded; a fraction of a second

logging.getLogger("PIL").addHandler(logging.NullHandler())  # its remarks on damaged files are not ours


def outline_folder(folder: Path) -> Outline:
    """The images directly in ``folder``, by name; every header is read, and the first few images whole.

    So a folder of damaged images is refused before a network is loaded for them. O(N) time, O(N) memory.
    """
    files = listed(folder)
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

    with _opened(file) as image, _silenced(image):
        image.load()
        plain = image if image.mode == "L" else image.convert("RGB")
        pixels = np.array(plain, dtype=np.uint8)
    return pixels[None] if pixels.ndim == 2 else pixels.transpose(2, 0, 1)


def listed(folder: Path) -> tuple[Path, ...]:
    """The files in ``folder`` that are called images, by name; there are some, and not too many."""
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
    if not found:
        raise UserError(
            f"{named(folder)} must hold images ({', '.join(sorted(IMAGES))}), but it has none of them"
        )
    return tuple(folder / name for name in sorted(found))


def _shape(file: Path) -> tuple[int, int, int]:
    """(c, h, w) of an image that can be read, as its header tells it."""
    size = file_size(file)
    _check_portable_map(file)
    with _opened(file) as image:
        width, height = image.size
        if size > MOST_BESIDE + MOST_PER_PIXEL * width * height:
            raise UserError(
                f"{named(file)} must be as large as an image of {width}×{height} can be, got {size} bytes; save it anew"
            )
        if width * height > MOST_SLOW_PIXELS and any(tile[0] in SLOW for tile in getattr(image, "tile", ())):
            raise UserError(f"{named(file)} must not be text or packed run by run; save it as .png")
        if image.format not in ("JPEG", "MPO") and _has_second_frame(image):
            raise UserError(f"{named(file)} must be one image, but it has several frames; split it")
        return (1 if image.mode == "L" else 3), height, width


def _check_portable_map(file: Path) -> None:
    """Refuse a portable map (``P6 640 480 255``, remarks in between) that does not come to its pixels.

    Pillow would look for its numbers byte by byte, to the end of the file.
    """
    with file.open("rb") as start:
        head = start.read(HEAD)
    if head[:1] != b"P" or head[1:2] not in b"0123456fy":
        return
    if head[1:2] in b"0fy":  # forms that Pillow alone writes, and numbers in floating point
        raise UserError(f"{named(file)} must be a portable map of bytes, P1 to P6; save it as .png")
    words = re.sub(rb"#[^\r\n]*", b"", head).split(maxsplit=4)
    due = 2 if words[0] in (b"P1", b"P4") else 3
    numbers = words[1 : 1 + due]
    if len(numbers) < due or not all(word.isdigit() and len(word) <= 9 for word in numbers):
        raise UserError(f"{named(file)} must be an image, but its size is not at its beginning; remove it")
    pixels = int(numbers[0]) * int(numbers[1])
    if file_size(file) > HEAD + MOST_PER_PIXEL * 3 * pixels:
        raise UserError(f"{named(file)} must be an image, but more follows than its pixels; remove it")


def _has_second_frame(image: Image) -> bool:
    """Whether frames follow the first; photographs in JPEG may have a second as a part of the first."""
    try:
        image.seek(1)
    except EOFError:
        return False
    return True


@contextmanager
def _silenced(image: Image) -> Iterator[None]:
    """libtiff prints what it thinks of a damaged image; Pillow raises it too, and that is told."""
    if image.format != "TIFF":
        yield
        return
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


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
