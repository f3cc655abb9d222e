"""Distances and norms from differences in float64, where nothing cancels: they settle what bounds leave open."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from trainables.measures.knn.memory import Scratch
from trainables.measures.knn.workers import in_shares

__all__ = ["exact_distances", "squared_norms"]

_CUDA_ROWS = 1024  # pairs at a time on CUDA, always padded to this, so the order of summation never varies
_BYTES = 3 << 20  # of rows in float64, and of those they are the differences of: less than a tile


def exact_distances(x: Tensor, y: Tensor, i: Tensor, j: Tensor, scratch: Scratch | None = None) -> Tensor:
    """‖x_i - y_j‖ for pairs of rows of (N, d) and (M, d), from float64 differences → (pairs,) float64.

    No cancellation, zero for equal rows, symmetric in its arguments bit for bit, and the same for a pair
    however many pairs are asked for: two equal distances compare equal.
    """
    if not len(i):
        return torch.empty(0, dtype=torch.float64, device=x.device)
    if x.device.type == "cpu":
        return _by_numpy(x.numpy(), y.numpy(), i.numpy(), j.numpy(), scratch or Scratch())
    out = torch.empty(len(i), dtype=torch.float64, device=x.device)
    for start in range(0, len(i), _CUDA_ROWS):
        part = slice(start, start + _CUDA_ROWS)
        difference = x[i[part]].double().sub_(y[j[part]])
        padded = torch.zeros(_CUDA_ROWS, x.shape[1], dtype=torch.float64, device=x.device)
        padded[: len(difference)] = difference
        out[part] = padded.square_().sum(dim=1).sqrt_()[: len(difference)]
    return out


def squared_norms(x: Tensor, origin: Tensor | None, scratch: Scratch | None = None) -> Tensor:
    """‖x_i - o‖² in float64, from float64 differences: (N, d), (d,) or zero → (N,)."""
    if x.device.type != "cpu":
        parts = (rows.double() for rows in x.split(_CUDA_ROWS))
        return torch.cat([(part if origin is None else part - origin).square().sum(dim=1) for part in parts])
    array = x.numpy()
    if origin is None:
        share = math.ceil(len(x) / torch.get_num_threads())
        step = max(share, _rows_at_a_time(x.shape[1], 8))
        return in_shares(lambda start, stop: _sums_of_squares(array[start:stop]), len(x), step, x.device)
    centre, memory = origin.double().numpy(), scratch or Scratch()

    def some(start: int, stop: int) -> Tensor:
        wide = memory.doubles((stop - start) * array.shape[1]).reshape(stop - start, -1)
        return _sums_of_squares(np.subtract(array[start:stop], centre, out=wide, dtype=np.float64))

    return in_shares(some, len(x), _rows_at_a_time(x.shape[1], 8), x.device)


def _by_numpy(x: np.ndarray, y: np.ndarray, i: np.ndarray, j: np.ndarray, scratch: Scratch) -> Tensor:
    def some(start: int, stop: int) -> Tensor:
        shape = (stop - start, x.shape[1])
        numbers = math.prod(shape)
        memory = scratch.doubles(numbers + 2 * numbers * x.itemsize // 8)
        left, right = memory[numbers:].view(x.dtype).reshape(2, *shape)
        # Clipping, which never happens, lets NumPy write without a buffer.
        np.take(x, i[start:stop], axis=0, out=left, mode="clip")
        np.take(y, j[start:stop], axis=0, out=right, mode="clip")
        wide = memory[:numbers].reshape(shape)
        return _sums_of_squares(np.subtract(left, right, out=wide, dtype=np.float64)).sqrt_()

    return in_shares(some, len(i), _rows_at_a_time(x.shape[1], 8 + 2 * x.itemsize), torch.device("cpu"))


def _rows_at_a_time(dimension: int, bytes_per_number: int) -> int:
    return max(1, _BYTES // (bytes_per_number * dimension))


def _sums_of_squares(x: np.ndarray) -> Tensor:
    """Σ_k x_ik² in float64, (n, d) → (n,)."""
    return torch.from_numpy(np.einsum("ij,ij->i", x, x, dtype=np.float64))
