"""Sets cut into pieces, and pairs of pieces into tiles: the work of an engine that never holds N×N."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from trainables.measures.knn.products import Panel, Points, tiles

__all__ = ["Cut", "pieces", "strips"]

_CPU_SIDE = 1024
_ALIGNED = 16  # rows of a tile begin at a cache line
_LEAST_SIDE = 256  # on a CPU: below, what surrounds a product costs as much as the product
_TILES_PER_THREAD = 3
_CUDA_SIDE = 16384
_LARGE = 1 << 22  # numbers


@dataclass(frozen=True)
class Cut:
    """A set in pieces, each with its panel: N·d float32 beside the features, unless these serve as they are."""

    points: Points
    pieces: Sequence[tuple[int, int]]
    panels: Sequence[Panel]

    @classmethod
    def of(cls, points: Points) -> Cut:
        """Cut a set as its size and its device ask for."""
        cut = pieces(len(points), points.features.device)
        return cls(points, cut, points.panels(cut))

    @property
    def large(self) -> bool:
        """Whether what surrounds the products, on a CPU, is large too."""
        return self.points.features.device.type == "cpu" and self.points.features.numel() >= _LARGE


def pieces(n: int, device: torch.device) -> list[tuple[int, int]]:
    """A set of n rows in pieces, as its size and its device ask for."""
    return tiles(n, _tile_side(n, device), _ALIGNED)


def _tile_side(n: int, device: torch.device) -> int:
    """Rows and columns of a tile: the cache on a CPU; on CUDA large, within an eighth of the free memory.

    On a CPU small sets are cut smaller, so that half of their tiles are a few for every thread.
    """
    if device.type != "cuda":
        across = math.ceil(math.sqrt(2 * _TILES_PER_THREAD * torch.get_num_threads()))
        return min(_CPU_SIDE, max(_LEAST_SIDE, math.ceil(n / across)))
    free, _ = torch.cuda.mem_get_info(device)
    return max(1024, min(_CUDA_SIDE, int((free / 8 / 4) ** 0.5) // 1024 * 1024))


def strips(
    pairs: Sequence[tuple[int, int]],
    rows: Sequence[tuple[int, int]],
    device: torch.device,
    ending: bool = True,
) -> list[tuple[int, int, int, int]]:
    """Tiles (rows, columns, top, bottom) for pairs of pieces, top and bottom within the ``rows``' piece.

    A tile is whole, but for the last one of every thread on a CPU, if nothing comes after them: cut in four, they let
    all threads end at a time.
    """
    whole = len(pairs) - torch.get_num_threads() if ending and device.type == "cpu" else len(pairs)
    cut = []
    for at, (i, j) in enumerate(pairs):
        height = rows[i][1] - rows[i][0]
        quarter = _ALIGNED * math.ceil(height / (4 * _ALIGNED))
        parts = [(0, height)] if at < whole else tiles(height, quarter, _ALIGNED)
        cut += [(i, j, *part) for part in parts]
    return cut
