"""Planes of parameters, and what is told of a landscape on one."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from trainables.studies.loss_plane import axis, disturbed, plane, relief

floats = st.floats(-3, 3, width=32)


@given(x=floats, y=floats)
def test_a_plane_goes_through_its_three_points(x, y):
    origin, first, second = torch.randn(3, 7, generator=torch.Generator().manual_seed(0))
    corners = plane(origin, first, second, torch.tensor([0.0, 1.0, 0.0]), torch.tensor([0.0, 0.0, 1.0]))
    torch.testing.assert_close(corners, torch.stack((origin, first, second)))
    (found,) = plane(origin, first, second, torch.tensor([x]), torch.tensor([y]))
    torch.testing.assert_close(found, origin + x * (first - origin) + y * (second - origin))


def test_noise_is_as_strong_as_each_tensor_allows():
    parameters = torch.cat((torch.full((40_000,), 2.0), torch.full((40_000,), 0.01), torch.zeros(10)))
    moved = disturbed(parameters, [40_000, 40_000, 10], 0.5, torch.Generator().manual_seed(0)) - parameters
    assert float(moved[:40_000].std()) == pytest.approx(1.0, rel=0.02)
    assert float(moved[40_000:80_000].std()) == pytest.approx(0.005, rel=0.02)
    assert (moved[80_000:] == 0).all()
    with pytest.raises(ValueError, match="add up to 80010 parameters, got 80000"):
        disturbed(parameters, [80_000], 0.5, torch.Generator())


def test_a_bowl_has_one_minimum_and_its_own_slope():
    at = axis(41, -1.0, 1.0)
    x, y = at[:, None], at[None, :]
    found = relief(2 * x + y + 0 * x * y, at)
    assert found.slope == pytest.approx(math.sqrt(5))
    assert (found.lowest, found.highest, found.range) == pytest.approx((-3, 3, 6))
    bowl = relief(x.square() + y.square(), at)
    assert bowl.minima == 1
    # The gradient is 2(x, y), off at the ends of the grid by its spacing: its mean square is 8/3 in the square.
    assert bowl.slope == pytest.approx(math.sqrt(8 / 3), rel=0.05)


def test_a_barrier_is_what_the_best_path_climbs():
    at = axis(31, -0.5, 1.0)
    x, y = at[:, None], at[None, :]

    def wall(gap: float) -> torch.Tensor:
        """Height 1 between x = 0.4 and 0.6, but for a gap of height ``gap`` at y ≤ -0.4; and -1 at the far end."""
        inside = ((x - 0.5).abs() < 0.11) & (y > -9)
        height = torch.where(y < -0.4, gap, 1.0).expand(31, 31)
        far = torch.where(x.sub(1).abs() + y.abs() < 0.01, -1.0, 0.0)
        return torch.where(inside, height, 0.0) + far

    assert relief(wall(1.0), at).barrier == pytest.approx(1.0)
    assert relief(wall(0.25), at).barrier == pytest.approx(0.25)
    assert relief(wall(0.0), at).barrier == 0.0
    assert math.isnan(relief(wall(0.0), axis(31, -0.4, 1.0)).barrier)  # no point at θ₀


def test_minima_are_lower_than_all_neighbours():
    loss = torch.zeros(5, 5)
    loss[1, 1], loss[3, 4], loss[3, 3] = -1.0, -2.0, -1.0
    assert relief(loss, axis(5, 0.0, 1.0)).minima == 2


def test_a_plane_needs_an_extent():
    with pytest.raises(ValueError, match="at least 2 points a side"):
        axis(1, 0.0, 1.0)
    with pytest.raises(ValueError, match="low < high"):
        axis(5, 1.0, 1.0)
