"""Transport by a critic: the steps, the place where they end, and the constants they hang on."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from trainables.rejection.transport import PAIRED, transport_constants, transported

double = torch.float64


def constants(steep: float, spread: float = 1.0, trials: int = 1) -> Tensor:
    return torch.tensor([[steep, spread]], dtype=double).expand(trials, -1)


def test_without_steps_points_stay() -> None:
    points = torch.randn(2, 5, 3)
    assert torch.equal(transported(points, lambda x: x.sum(2), constants(1.0, trials=2), 0, 0.1), points)


@given(slope=st.floats(1.01, 5.0), start=st.floats(-3, 3))
def test_the_first_step_is_along_the_slope_alone_and_later_ones_are_held_back(
    slope: float, start: float
) -> None:
    # d(x) = s x with L = 1: at x = y the distance has no slope; from there on it pulls back by 1.
    points = torch.full((1, 1, 1), start, dtype=double)
    for steps in (1, 2, 5):
        found = transported(points, lambda x: slope * x[..., 0], constants(1.0), steps, 0.01)
        expected = start + 0.01 * (slope + (steps - 1) * (slope - 1))
        assert float(found) == pytest.approx(expected, abs=1e-9)


def test_on_a_quadratic_critic_the_end_is_the_minimiser() -> None:
    # ‖x - y‖ + x²/(2L): from y with |y| ≤ L nothing pays, from elsewhere x goes to ±L.
    rate, steep = 0.005, torch.tensor([0.5, 1.0, 3.0], dtype=double)
    points = torch.tensor([-3.0, -0.1, 0.4, 4.0], dtype=double).reshape(1, -1, 1).repeat(3, 1, 1)
    own = torch.stack((steep, torch.ones(3, dtype=double)), dim=1)
    found = transported(points, lambda x: -0.5 * x[..., 0] ** 2, own, 3000, rate)
    expected = points.clamp(-steep.reshape(-1, 1, 1), steep.reshape(-1, 1, 1))
    torch.testing.assert_close(found, expected, atol=4 * rate, rtol=0)


def test_in_the_plane_the_end_lies_on_the_line_to_the_top() -> None:
    generator = torch.Generator().manual_seed(0)
    points = 3 * torch.randn(2, 20, 2, generator=generator, dtype=double)
    found = transported(points, lambda x: -0.5 * x.square().sum(2), constants(1.0, trials=2), 3000, 0.005)
    length = points.norm(dim=2, keepdim=True)
    torch.testing.assert_close(found, points / length * length.clamp(max=1.0), atol=0.02, rtol=0)


def test_a_step_grows_with_the_spread_and_falls_with_the_slope() -> None:
    points = torch.zeros(3, 4, 2, dtype=double)
    own = torch.tensor([[1.0, 1.0], [1.0, 5.0], [4.0, 1.0]], dtype=double)
    found = transported(points, lambda x: x[..., 0], own, 1, 0.1)
    torch.testing.assert_close(found[:, 0, 0], torch.tensor([0.1, 0.5, 0.025], dtype=double))
    assert not found[:, :, 1].any()


def test_gradients_are_taken_where_none_are_wanted() -> None:
    points = torch.randn(1, 6, 1, 2, 2)
    with torch.no_grad():
        found = transported(points, lambda x: x.flatten(2).sum(2), constants(2.0), 3, 0.1)
    assert found.shape == points.shape
    assert found.dtype == points.dtype
    assert not found.requires_grad
    assert bool((found > points).all())


@given(
    slope=st.lists(st.floats(-3, 3), min_size=2, max_size=2),
    seed=st.integers(0, 1000),
    count=st.integers(2, 60),
)
def test_the_largest_slope_between_pairs_is_at_most_the_lipschitz_constant(
    slope: list[float], seed: int, count: int
) -> None:
    points = torch.randn(1, count, 2, generator=torch.Generator().manual_seed(seed), dtype=double)
    ((steep, spread),) = transport_constants(points, points @ torch.tensor(slope, dtype=double)).tolist()
    apart = [points[0, at] - points[0, at + 1] for at in range(0, count - 1, 2)]
    seen = [abs(float(one @ torch.tensor(slope, dtype=double))) / float(one.norm()) for one in apart]
    assert steep == pytest.approx(max(*seen, 1e-12))
    assert steep <= float(torch.tensor(slope, dtype=double).norm()) + 1e-9
    assert spread == pytest.approx(float(points[0].var(dim=0, correction=0).sum().sqrt()))


def test_of_many_pairs_the_estimate_comes_near_to_the_lipschitz_constant() -> None:
    points = torch.randn(2, 4 * PAIRED, 2, generator=torch.Generator().manual_seed(1))
    score = torch.stack((3 * points[0, :, 0], points[1] @ torch.tensor([3.0, 4.0])))
    steep, spread = transport_constants(points, score).unbind(1)
    torch.testing.assert_close(steep, torch.tensor([3.0, 5.0], dtype=double), rtol=1e-3, atol=0)
    torch.testing.assert_close(spread, torch.full((2,), 2.0, dtype=double).sqrt(), rtol=0.05, atol=0)


def test_equal_points_and_single_ones_have_a_slope_that_can_be_divided_by() -> None:
    for count in (1, 2, 7):
        found = transport_constants(torch.ones(3, count, 2), torch.zeros(3, count))
        assert bool((found[:, 0] > 0).all())
        assert not found[:, 1].any()
        moved = transported(torch.ones(3, count, 2), lambda x: 0 * x[..., 0], found, 3, 0.1)
        assert torch.equal(moved, torch.ones(3, count, 2))
