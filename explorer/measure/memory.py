"""Whether a measurement fits into memory, told before it is begun."""

from __future__ import annotations

import os
from pathlib import Path

from explorer.errors import UserError
from explorer.measure.outline import Outline
from trainables.metrics.frechet import by_samples

__all__ = ["available", "check_memory", "needed"]

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


def available() -> int:
    """Bytes that can be had without swapping, within the limit of this process's control group if it has one."""
    free = _free()
    group = Path("/sys/fs/cgroup")
    try:
        limit = (group / "memory.max").read_text().strip()
        used = int((group / "memory.current").read_text())
        cache = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
        if limit != "max":
            free = min(free, int(limit) - used + int(cache.get("inactive_file", 0)))
    except (OSError, ValueError):
        pass
    return max(free, 0)


def _free() -> int:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, StopIteration):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")  # where only the whole is told


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.3g} GB"
