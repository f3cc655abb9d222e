"""Whether a measurement fits into memory, told before it is begun."""

from __future__ import annotations

from explorer.errors import UserError
from explorer.measure.outline import Outline
from explorer.memory import available
from trainables.metrics.frechet import by_samples

__all__ = ["check_memory", "needed"]

FEATURES = 4096  # dimensions of the widest extractor of ours
COPIES = 3  # of the features, while metrics widen, centre and sort them
SQUARES = 6  # matrices (d, d) of a Fréchet distance: covariances, factors, products
PRODUCTS = 5  # matrices (N, M) of it where samples are few: products, singular vectors, and room to find them


def needed(real: Outline, fake: Outline, extractor: str | None, covariances: bool) -> int:
    """Bytes that measuring takes at its peak: both sets as stored, copies of their features, matrices of FID."""
    total, width = 0, 0
    known = real.is_features or extractor == "identity"
    for side in (real, fake):
        dimension = side.dimension if known else FEATURES
        itemsize = side.worksize if side.is_features else 4
        stored = 0 if side.files else side.itemsize * len(side) * side.dimension
        total += stored + COPIES * itemsize * len(side) * dimension
        width = max(width, dimension)
    if not covariances:
        return total
    if known and by_samples(len(real), len(fake), width):
        return total + 8 * (min(len(real), len(fake)) * width + PRODUCTS * len(real) * len(fake))
    return total + SQUARES * 8 * width**2


def check_memory(real: Outline, fake: Outline, extractor: str | None, covariances: bool) -> None:
    """Raise unless the measurement fits into the memory that is free now."""
    bytes_needed, free = needed(real, fake, extractor, covariances), available()
    if bytes_needed > free:
        sizes = " and ".join(f"{len(side)} × {side.dimension}" for side in (real, fake))
        raise UserError(
            f"measuring {sizes} numbers takes about {_gigabytes(bytes_needed)} of memory, but "
            f"{_gigabytes(free)} are free; use fewer samples, fewer dimensions, or metrics without fid"
        )


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.3g} GB"
