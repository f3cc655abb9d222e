"""Samples in an array of a .npz file, read block by block: the array is never in memory as a whole."""

from __future__ import annotations

import math
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np
import torch
from numpy.lib import format as npy
from numpy.typing import NDArray
from torch import Tensor

from trainables.archives import open_archive

__all__ = ["ArraySamples", "array_names", "read_member"]

PIECE = 1 << 22
"""Bytes that are passed over at a time."""
MOST_HELD = 1 << 28
"""Bytes of an array that is read as a whole, as scores are; and of one sample."""


class ArraySamples:
    """An array (N, …) of a .npz file: points (N, d), (N,), or images (N, h, w), (N, c, h, w), (N, h, w, c).

    Attributes:
        name: what sentences call it.
        shape: (d,) or (c, h, w) of one sample.
    """

    def __init__(self, path: Path, member: str) -> None:
        self._path, self._member = path, member
        self.name = f"'{member}' of {path}"
        with _member(path, member) as file:
            stored, self._kind = _header(file, self.name)
        if not 1 <= len(stored) <= 4 or not all(stored[1:]):
            raise ValueError(
                f"{self.name} must be samples (N, d) or images (N, h, w), (N, c, h, w) or (N, h, w, c), got shape "
                f"{stored}"
            )
        self._count, self._stored = stored[0], stored[1:]
        if math.prod(self._stored) * self._kind.itemsize > MOST_HELD:
            raise ValueError(
                f"{self.name} must have samples of at most {MOST_HELD:,} bytes, got shape {stored}"
            )
        self._behind = len(stored) == 4 and stored[1] not in (1, 3) and stored[3] in (1, 3)
        self.shape = self._laid(np.zeros((1, *self._stored), np.uint8)).shape[1:]

    def __len__(self) -> int:
        return self._count

    def blocks(self, size: int, first: int = 0) -> Iterator[Tensor]:
        """As ``Samples.blocks``; what stands before the first block is passed over."""
        row = math.prod(self._stored) * self._kind.itemsize
        with _member(self._path, self._member) as file:
            _header(file, self.name)
            _pass_over(file, min(first * size, self._count) * row)
            for start in range(first * size, self._count, size):
                rows = min(size, self._count - start)
                yield self._tensor(_exactly(file, rows * row, self.name), rows)

    def _tensor(self, raw: bytes, rows: int) -> Tensor:
        numbers = np.frombuffer(raw, self._kind).reshape(rows, *self._stored)
        laid = self._laid(numbers)
        kind = np.uint8 if laid.dtype == np.uint8 and laid.ndim == 4 else np.float32
        found = torch.from_numpy(np.array(laid, dtype=kind, order="C"))
        if found.is_floating_point() and not bool(found.isfinite().all()):
            raise ValueError(f"{self.name} must be finite, but holds NaN or infinity; remove those samples")
        return found

    def _laid(self, numbers: NDArray[np.generic]) -> NDArray[np.generic]:
        """(n, d) or (n, c, h, w)."""
        if self._behind:
            return numbers.transpose(0, 3, 1, 2)
        return {1: numbers[..., None], 3: numbers[:, None]}.get(numbers.ndim, numbers)


def array_names(path: Path) -> set[str]:
    """Names of the arrays in a file."""
    with _archive(path) as archive:
        return {name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy")}


def read_member(path: Path, member: str) -> NDArray[np.generic]:
    """A small array as a whole."""
    name = f"'{member}' of {path}"
    with _member(path, member) as file:
        shape, kind = _header(file, name)
        size = math.prod(shape) * kind.itemsize
        if size > MOST_HELD:
            raise ValueError(f"{name} must have at most {MOST_HELD:,} bytes, got {size:,}")
        raw = _exactly(file, size, name)
    return np.frombuffer(raw, kind).reshape(shape)


@contextmanager
def _archive(path: Path) -> Iterator[zipfile.ZipFile]:
    if not path.is_file():
        raise ValueError(f"there is no file {path}; give a .npz file or a folder of images with scores")
    try:
        with open_archive(path) as archive:
            yield archive
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, RuntimeError, zlib.error) as error:
        raise ValueError(
            f"{path} must be a file of numpy.savez, but it is damaged or none: {error}; save it again"
        ) from error


@contextmanager
def _member(path: Path, member: str) -> Iterator[IO[bytes]]:
    with _archive(path) as archive, archive.open(f"{member}.npy") as file:
        yield file


def _header(file: IO[bytes], name: str) -> tuple[tuple[int, ...], np.dtype[np.generic]]:
    """Shape and kind of numbers; refused are arrays that are not numbers one row after the other."""
    try:
        with warnings.catch_warnings(action="ignore"):
            version = npy.read_magic(file)
            read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            shape, fortran, kind = read(file)
    except ValueError as error:
        raise ValueError(
            f"{name} must be an array of numpy, but it is damaged: {error}; save it again"
        ) from error
    if kind.kind not in "biuf" or kind.hasobject:
        raise ValueError(f"{name} must be real numbers, got {kind}; save it as float32, or images as uint8")
    if fortran and len(shape) > 1:
        raise ValueError(
            f"{name} must lie one sample after the other, but lies one number of all samples after the other; save "
            "numpy.ascontiguousarray of it"
        )
    return shape, kind


def _pass_over(file: IO[bytes], size: int) -> None:
    while size > 0 and (read := len(file.read(min(size, PIECE)))):
        size -= read


def _exactly(file: IO[bytes], size: int, name: str) -> bytes:
    raw = file.read(size)
    if len(raw) < size:
        raise ValueError(f"{name} must be whole, but ends before its last sample; save it again")
    return raw
