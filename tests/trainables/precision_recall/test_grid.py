"""The grid of trade-offs has equal angles and is its own mirror image."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trainables.precision_recall import equiangular_grid, geometric_grid

few = settings(max_examples=40)


@few
@given(st.integers(1, 60))
def test_the_grid_is_equiangular_and_its_own_mirror(n: int) -> None:
    lam = equiangular_grid(n)
    angles = lam.atan()
    steps = torch.cat([angles[:1], angles.diff(), torch.pi / 2 - angles[-1:]])
    torch.testing.assert_close(steps, torch.full_like(steps, torch.pi / 2 / (n + 1)))
    torch.testing.assert_close(lam * lam.flip(0), torch.ones_like(lam))


@few
@given(st.integers(0, 60))
def test_an_odd_grid_has_one_in_the_middle_and_every_grid_rises(half: int) -> None:
    lam = equiangular_grid(2 * half + 1)
    assert lam[half] == 1.0
    assert lam.dtype == torch.float64
    assert bool((lam.diff() > 0).all())
    assert bool((equiangular_grid(2 * half + 2).diff() > 0).all())


def test_mirrored_points_are_reciprocals_to_the_last_bit() -> None:
    lam = equiangular_grid(100)
    assert torch.equal(lam[50:], 1.0 / lam[:50].flip(0))


def test_a_grid_without_points_is_refused() -> None:
    with pytest.raises(ValueError, match="n ≥ 1"):
        equiangular_grid(0)


def test_the_geometric_grid_has_equal_factors_and_its_powers_of_ten() -> None:
    grid = geometric_grid(2, 10)
    assert len(grid) == 41
    torch.testing.assert_close(grid[1:] / grid[:-1], torch.full((40,), 10**0.1, dtype=torch.float64))
    torch.testing.assert_close(grid[::10], torch.tensor([0.01, 0.1, 1.0, 10.0, 100.0], dtype=torch.float64))
    torch.testing.assert_close(grid * grid.flip(0), torch.ones(41, dtype=torch.float64))
