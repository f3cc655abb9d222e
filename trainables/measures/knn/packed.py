"""Ball counts of many small sets against one, by every distance in float64: what a GPU does best with packs.

A tree asks one question after the other, and tiles of float32 products are made for sets that fill a card alone. A pack
has hundreds of sets of a thousand points in few dimensions: there every squared distance is summed coordinate by
coordinate in float64, for as many sets at a time as memory allows. Radii and memberships come from the same sums, so
that ties are exact.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from trainables.measures.knn.neighbours import BallCounts, check_squares

__all__ = ["PACKED_DIMENSION", "packed_ball_counts", "squared_radii"]

PACKED_DIMENSION = 64
"""Beyond, the products of the dense engine cost less than a pass over all distances per coordinate."""

_CPU_BYTES = 1 << 26
_CUDA_BYTES = 1 << 33
_ARRAYS = 4
"""Arrays of the size of all distances that are held at a time."""


def packed_ball_counts(real: Tensor, fakes: Tensor, radii: Tensor, ks: Sequence[int]) -> list[BallCounts]:
    """Counts of real (N, d) and each of fakes (B, M, d) in each other's closed balls: (B, M) or (B, N), for every k.

    ``radii`` (N, len(ks)) are ``squared_radii(real[None], ks)[0]``. Time O(B·M·(N+M)·d), memory bounded.
    """
    count, m, _ = fakes.shape
    step = _step(max(len(real), m) * m, fakes.device)
    parts = [
        _counts(real.double(), fakes[start : start + step].double(), radii, ks)
        for start in range(0, count, step)
    ]
    return [_joined([part[at] for part in parts]) for at in range(len(ks))]


def _joined(parts: Sequence[BallCounts]) -> BallCounts:
    return BallCounts(
        torch.cat([part.real_balls_around_fake for part in parts]),
        torch.cat([part.fakes_in_real_ball for part in parts]),
        torch.cat([part.fake_balls_around_real for part in parts]),
        torch.cat([part.reals_in_fake_ball for part in parts]),
        parts[0].k,
    )


def squared_radii(x: Tensor, ks: Sequence[int]) -> Tensor:
    """Squared distances from each point of x (B, N, d) to its k-th neighbour, itself excluded: (B, N, len(ks))."""
    check_squares(x)
    squared = _squared(x.double(), x.double())
    squared.diagonal(dim1=1, dim2=2).fill_(torch.inf)
    nearest = squared.topk(max(ks), dim=2, largest=False, sorted=True).values
    return nearest[:, :, [k - 1 for k in ks]]


def _step(pairs: int, device: torch.device) -> int:
    """How many sets at a time: within an eighth of the free memory of a card, within a cache's reach on a CPU."""
    room = _CPU_BYTES
    if device.type == "cuda":
        room = min(_CUDA_BYTES, torch.cuda.mem_get_info(device)[0] // 8)
    return max(1, room // (8 * _ARRAYS * pairs))


def _squared(x: Tensor, y: Tensor) -> Tensor:
    """‖x_i - y_j‖² of x (B or 1, N, d) and y (B, M, d): (B, N, M); symmetric in its arguments bit for bit."""
    total = x.new_zeros(max(len(x), len(y)), x.shape[1], y.shape[1])
    for axis in range(x.shape[2]):
        apart = x[:, :, None, axis] - y[:, None, :, axis]
        total.addcmul_(apart, apart)
    return total


def _counts(real: Tensor, fakes: Tensor, radii: Tensor, ks: Sequence[int]) -> list[BallCounts]:
    own = squared_radii(fakes, ks)
    squared = _squared(real[None], fakes)  # (B, N, M)
    found = []
    for at, k in enumerate(ks):
        in_real = squared <= radii[:, at, None]
        in_fake = squared <= own[:, None, :, at]
        found.append(BallCounts(in_real.sum(1), in_real.sum(2), in_fake.sum(2), in_fake.sum(1), k))
    return found
