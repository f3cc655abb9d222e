"""CIFAR-10 as its author pickled it, read as data: nothing a file names is imported or called.

A batch is a pickle of ``{"data": array (N, 3072) of bytes, "labels": list of N}``, the bytes red, green, blue, each row
by row (Krizhevsky 2009).
"""

from __future__ import annotations

import codecs
import io
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from trainables.sources.source import Batch

__all__ = ["read_batches"]

SHAPE, CLASSES = (3, 32, 32), 10
_LARGEST = 1 << 28  # bytes of a file; those of CIFAR-10 have 31 million


def read_batches(paths: Sequence[Path]) -> Batch:
    """Images (N, 3, 32, 32) as bytes and labels (N,) of all files together."""
    parts = [_read(path) for path in paths]
    return Batch(
        torch.from_numpy(np.concatenate([images for images, _ in parts])).unflatten(1, SHAPE),
        torch.from_numpy(np.concatenate([labels for _, labels in parts])),
    )


def _read(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Bytes (N, 3072) and labels (N,) of one file."""
    try:
        if path.stat().st_size > _LARGEST:
            raise ValueError(f"it has more than {_LARGEST} bytes")
        held = _Unpickler(io.BytesIO(path.read_bytes()), encoding="bytes").load()
        found = {key.decode() if isinstance(key, bytes) else key: value for key, value in held.items()}
        images, labels = found["data"].array, found["labels"]
    except Exception as error:  # a damaged pickle can raise nearly anything
        raise ValueError(
            f"{path} must be a batch of CIFAR-10, a pickle of images and labels, but is damaged or none; get it again"
        ) from error
    if images.ndim != 2 or images.shape[1] != 3072 or len(images) == 0:
        raise ValueError(
            f"{path} must hold images of 3072 bytes, got shape {tuple(images.shape)}; get it again"
        )
    whole = isinstance(labels, list) and all(type(one) is int and 0 <= one < CLASSES for one in labels)
    if not whole or len(labels) != len(images):
        raise ValueError(
            f"{path} must hold {len(images)} labels 0 to {CLASSES - 1}, one for each image, got "
            f"{len(labels) if isinstance(labels, list) else 'none'} or others; get it again"
        )
    return images, np.array(labels, dtype=np.int64)


class _Array:
    """Stands for an array while a pickle is read; takes what numpy's ``__setstate__`` would."""

    array: np.ndarray

    def __setstate__(self, state: Any) -> None:
        _, shape, dtype, by_columns, content = state
        if dtype.code not in ("u1", b"u1") or by_columns:
            raise pickle.UnpicklingError("an array that is not of bytes, row by row")
        self.array = np.frombuffer(content, dtype=np.uint8).reshape(shape)


class _DType:
    """Stands for the type of an array."""

    def __init__(self, code: Any, *_: Any) -> None:
        self.code = code

    def __setstate__(self, state: Any) -> None:
        """Byte order and the like, which single bytes do not have."""


def _bytes(text: str, encoding: str) -> bytes:
    """How Python 3 writes bytes for Python 2."""
    return codecs.encode(text, "latin1")


_STAND_INS: dict[tuple[str, str], Callable[..., Any]] = {
    ("numpy.core.multiarray", "_reconstruct"): lambda *_: _Array(),
    ("numpy._core.multiarray", "_reconstruct"): lambda *_: _Array(),
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _DType,
    ("_codecs", "encode"): _bytes,
}


class _Unpickler(pickle.Unpickler):
    """Gives stand-ins for the four names that a batch needs, and refuses all others."""

    def find_class(self, module: str, name: str) -> Any:
        """A stand-in; nothing is imported."""
        if (module, name) not in _STAND_INS:
            raise pickle.UnpicklingError(f"it names {module}.{name}")
        return _STAND_INS[module, name]
