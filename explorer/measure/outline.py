"""What a set of samples says of itself, read from headers before anything of it is loaded."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from explorer.errors import UserError, brief
from explorer.measure.files import named
from trainables.extractors.extractor import Images

__all__ = ["Header", "Outline", "channels_last", "outline_array"]

FLOATS = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8}
INTEGERS = {"bool": 1} | {f"{sign}int{8 * size}": size for sign in ("", "u") for size in (1, 2, 4, 8)}

MOST_NUMBERS = 1 << 60  # more have no address


class Header(NamedTuple):
    """The axes of one array and the type of its numbers, by numpy's name."""

    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Outline:
    """One side of a measurement, not loaded yet.

    - ``shape``: (N, d) of features, (N, c, h, w) of images; of a folder the largest c, h and w;
    - ``dtype``: the type of its numbers;
    - ``array``: the name of the array inside its file, ``labelled`` whether labels lie beside it;
    - ``files``: the images of a folder, by name, and ``shapes`` (c, h, w) all that they have.
    """

    path: Path
    shape: tuple[int, ...]
    dtype: str = "uint8"
    array: str = ""
    labelled: bool = False
    files: tuple[Path, ...] = ()
    shapes: frozenset[tuple[int, int, int]] = frozenset()

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def is_features(self) -> bool:
        """Whether this is an array (N, d) that needs no extractor."""
        return len(self.shape) == 2

    @property
    def images(self) -> Images:
        """What an extractor may know of a set that is not features."""
        count, channels, height, width = self.shape
        return Images(count, self.shapes or frozenset({(channels, height, width)}), self.labelled)

    @property
    def dimension(self) -> int:
        """Numbers of one sample."""
        return math.prod(self.shape[1:])

    @property
    def itemsize(self) -> int:
        """Bytes of one number as stored."""
        return (FLOATS | INTEGERS)[self.dtype]

    @property
    def worksize(self) -> int:
        """Bytes of one number as measured: metrics widen halves to float32 and integers to float64."""
        return max(4, FLOATS.get(self.dtype, 8))


def outline_array(path: Path, names: Collection[str], header: Callable[[str], Header]) -> Outline:
    """The outline of a file with the arrays ``names``, of which ``header`` is asked for those that count."""
    name = _chosen(path, set(names) - {"labels"})
    found = header(name)
    _check_numbers(path, found)
    shape = _layout(path, found.shape)
    if len(shape) == 4 and found.dtype != "uint8" and found.dtype not in FLOATS:
        raise UserError(
            f"images must be bytes or floats in [0, 1], got {found.dtype} in {named(path)}; convert them to uint8"
        )
    if "labels" in names:
        _check_labels(path, header("labels"), shape[0])
    return Outline(path, shape, found.dtype, name, "labels" in names)


def channels_last(shape: tuple[int, ...]) -> bool:
    """Whether images (N, a, b, c) have their channels behind: c is 1 or 3, and a is neither."""
    return len(shape) == 4 and shape[1] not in (1, 3) and shape[3] in (1, 3)


def _chosen(path: Path, names: Collection[str]) -> str:
    for name in ("features", "images"):
        if name in names:
            return name
    if len(names) == 1:
        return next(iter(names))
    got = brief(", ".join(sorted(names)[:20]), 80) or "none"
    raise UserError(f"{named(path)} must hold one array, or one named features or images, got {got}")


def _check_numbers(path: Path, found: Header) -> None:
    if found.dtype.startswith("complex"):
        raise UserError(
            f"{named(path)} must hold real numbers, got {found.dtype}; split them into two dimensions each"
        )
    if found.dtype not in FLOATS | INTEGERS:
        raise UserError(
            f"{named(path)} must hold numbers of at most 8 bytes without pickled objects, "
            f"got {brief(found.dtype, 40)}; save it as float32"
        )
    if math.prod(found.shape) >= MOST_NUMBERS:
        raise UserError(f"{named(path)} must hold fewer than 2^60 numbers, got shape {_shown(found.shape)}")
    if min(found.shape, default=1) < 1:
        raise UserError(
            f"{named(path)} must hold at least one sample and one number each, got shape {_shown(found.shape)}"
        )


def _layout(path: Path, shape: tuple[int, ...]) -> tuple[int, ...]:
    """(N, d) or (N, c, h, w)."""
    if len(shape) == 1:
        return (*shape, 1)
    if len(shape) == 3:
        return (shape[0], 1, *shape[1:])
    if channels_last(shape):
        return (shape[0], shape[3], *shape[1:3])
    if len(shape) in (2, 4):
        return shape
    raise UserError(
        f"{named(path)} must hold features (N, d) or images (N, h, w), (N, c, h, w) or (N, h, w, c), "
        f"got shape {_shown(shape)}"
    )


def _check_labels(path: Path, found: Header, samples: int) -> None:
    if found.dtype not in INTEGERS:
        got = brief(found.dtype, 40)
        raise UserError(f"the labels in {named(path)} must be an array of integers 0, 1, …, got {got}")
    if found.shape != (samples,):
        raise UserError(
            f"the labels in {named(path)} must be one integer 0, 1, … per sample, got shape "
            f"{_shown(found.shape)} for {samples} samples"
        )


def _shown(shape: tuple[int, ...]) -> str:
    return brief(str(shape), 60)
