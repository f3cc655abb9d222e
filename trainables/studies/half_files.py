"""A sampler's file in half its size: weights in half precision, all else as it is."""

from __future__ import annotations

import numpy as np

from trainables.safetensors import Array, read_tensors, tensor_bytes
from trainables.samplers.keeping import RATIOS

__all__ = ["narrowed", "rounded", "widened"]


def narrowed(data: bytes) -> bytes:
    """The file with its single-precision numbers in half precision, the ratios excepted: budgets hang on their ends."""
    return _cast(data, np.float32, np.float16)


def widened(data: bytes) -> bytes:
    """A narrowed file in single precision again, as samplers want it; other files as they are."""
    return _cast(data, np.float16, np.float32)


def rounded(data: bytes) -> bytes:
    """What is left of a file that was narrowed and widened: every weight w within 2⁻¹¹ |w|, or 2⁻²⁵ of tiny ones."""
    return widened(narrowed(data))


def _cast(data: bytes, before: type[np.floating], after: type[np.floating]) -> bytes:
    tensors, texts = read_tensors(data)
    return tensor_bytes({name: _one(name, values, before, after) for name, values in tensors.items()}, texts)


def _one(name: str, values: Array, before: type[np.floating], after: type[np.floating]) -> Array:
    if name == RATIOS or values.dtype != before:
        return values
    largest = float(np.finfo(after).max)
    if float(np.abs(values).max(initial=0.0)) > largest:
        raise ValueError(
            f"tensor '{name}' has numbers beyond {largest:g}, the largest of {np.dtype(after).name}; keep the file wide"
        )
    return values.astype(after)
