"""A plane through three generators, and how rough the landscape of a loss over it is (thesis 6.3.1, C.2.3).

The plane is θ(x, y) = θ₀ + x (θ₁ - θ₀) + y (θ₂ - θ₀), so that the three lie at (0, 0), (1, 0) and (0, 1). The thesis
prints G_{θ₀ + xθ₁ + yθ₂} and calls θ₁ and θ₂ directions, but makes them as parameters, by training on from θ₀ with
noise: their differences from θ₀ are the directions meant here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

__all__ = ["Relief", "axis", "disturbed", "plane", "relief"]


@dataclass(frozen=True)
class Relief:
    """A landscape in numbers.

    Attributes:
        lowest: the least loss on the grid.
        highest: the largest.
        range: highest - lowest.
        slope: the root mean square of ‖∇ loss‖, from differences of neighbours, a unit being ‖θ₁ - θ₀‖ or ‖θ₂ - θ₀‖.
        minima: grid points lower than all of their up to eight neighbours.
        barrier: the least height above the higher end that a path over the grid from (0, 0) to (1, 0) or to (0, 1)
            must climb, the larger of the two; NaN where the grid has not these points.
    """

    lowest: float
    highest: float
    range: float
    slope: float
    minima: int
    barrier: float


def axis(side: int, low: float, high: float) -> Tensor:
    """``side`` evenly spaced coordinates from ``low`` to ``high``, (side,), float64."""
    if side < 2 or not low < high:
        raise ValueError(
            f"a plane needs at least 2 points a side and low < high, got {side} from {low} to {high}"
        )
    return torch.linspace(low, high, side, dtype=torch.float64)


def plane(origin: Tensor, first: Tensor, second: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """θ(x, y) at coordinates x and y (G,) each, from parameters (P,) → (G, P)."""
    one, other = first - origin, second - origin
    return origin + x.to(origin).unsqueeze(1) * one + y.to(origin).unsqueeze(1) * other


def disturbed(
    parameters: Tensor, sizes: Sequence[int], strength: float, generator: torch.Generator
) -> Tensor:
    """Parameters (P,) with Gaussian noise on each, ``strength`` times the root mean square of its tensor.

    ``sizes`` are the numbers of parameters of the tensors, in their order.
    """
    if sum(sizes) != len(parameters):
        raise ValueError(
            f"the sizes of tensors must add up to {len(parameters)} parameters, got {sum(sizes)}"
        )
    noise = torch.randn(parameters.shape, generator=generator)
    parts = zip(parameters.split(list(sizes)), noise.split(list(sizes)), strict=True)
    return torch.cat([own + strength * own.square().mean().sqrt() * e.to(own) for own, e in parts])


def relief(loss: Tensor, coordinates: Tensor) -> Relief:
    """The numbers of a landscape (side, side), ``loss[i, j]`` at x = coordinates[i], y = coordinates[j]; O(side⁴)."""
    spacing = float(coordinates[1] - coordinates[0])
    along = torch.gradient(loss.double(), spacing=spacing)
    slope = sum(part.square() for part in along)
    assert isinstance(slope, Tensor)
    return Relief(
        float(loss.min()),
        float(loss.max()),
        float(loss.max() - loss.min()),
        float(slope.mean().sqrt()),
        _minima(loss),
        _barrier(loss, coordinates),
    )


def _around(loss: Tensor, i: int, j: int) -> list[tuple[int, int]]:
    """The up to eight neighbours of a grid point."""
    side = len(loss)
    rows, columns = range(max(0, i - 1), min(side, i + 2)), range(max(0, j - 1), min(side, j + 2))
    return [(a, b) for a in rows for b in columns if (a, b) != (i, j)]


def _minima(loss: Tensor) -> int:
    values = loss.tolist()
    side = range(len(values))
    return sum(all(values[i][j] < values[a][b] for a, b in _around(loss, i, j)) for i in side for j in side)


def _barrier(loss: Tensor, coordinates: Tensor) -> float:
    spacing = float(coordinates[1] - coordinates[0])
    zero, one = (int((coordinates - value).abs().argmin()) for value in (0.0, 1.0))
    if any(abs(float(coordinates[at]) - value) > 1e-6 * spacing for at, value in ((zero, 0.0), (one, 1.0))):
        return float("nan")
    ends = [(one, zero), (zero, one)]
    return max(
        _climb(loss, (zero, zero), end) - max(float(loss[zero, zero]), float(loss[end])) for end in ends
    )


def _climb(loss: Tensor, start: tuple[int, int], end: tuple[int, int]) -> float:
    """The least height of the highest point on a path between two grid points: points are flooded in their order."""
    values = loss.tolist()
    height = values[start[0]][start[1]]
    seen, shore = {start}, [start]
    while True:
        shore.sort(key=lambda at: -values[at[0]][at[1]])
        at = shore.pop()
        height = max(height, values[at[0]][at[1]])
        if at == end:
            return float(height)
        fresh = [one for one in _around(loss, *at) if one not in seen]
        seen |= set(fresh)
        shore += fresh
