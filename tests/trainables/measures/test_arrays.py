"""What every metric asks of its arrays: two axes, finite numbers, one width, enough rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from trainables.measures.arrays import as_features, blocks, check_neighbours, check_pair, column_mean


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (torch.int64, torch.float64),
        (torch.uint8, torch.float64),
        (torch.bool, torch.float64),
        (torch.float16, torch.float32),
        (torch.bfloat16, torch.float32),
        (torch.float32, torch.float32),
        (torch.float64, torch.float64),
    ],
)
def test_numbers_keep_or_gain_precision(given: torch.dtype, kept: torch.dtype) -> None:
    found = as_features(torch.tensor([[0, 1], [1, 1]]).to(given))
    assert found.dtype == kept
    assert found.tolist() == [[0, 1], [1, 1]]


def test_one_axis_is_one_dimension_and_gradients_are_left_behind() -> None:
    assert as_features(np.arange(3.0)).tolist() == [[0.0], [1.0], [2.0]]
    assert not as_features(torch.ones(2, 2, requires_grad=True)).requires_grad


@pytest.mark.parametrize("shape", [(), (2, 3, 4), (0, 3), (3, 0)])
def test_other_shapes_are_refused_by_name(shape: tuple[int, ...]) -> None:
    with pytest.raises(
        ValueError, match=r"real features must be an array .* flatten images or extract features"
    ):
        as_features(torch.zeros(shape), "real features")


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_samples_that_are_not_finite_are_counted(bad: float) -> None:
    x = torch.zeros(5, 3)
    x[1, 2] = x[4, 0] = x[4, 1] = bad
    with pytest.raises(ValueError, match="features must be finite, but 2 of 5 samples hold NaN or infinity"):
        as_features(x)


def test_finite_numbers_whose_sum_overflows_are_accepted() -> None:
    x = torch.full((4, 4), 1e308, dtype=torch.float64)
    assert math.isinf(float(x.sum()))
    assert torch.equal(as_features(x), x)


def test_a_pair_gets_the_wider_precision_and_one_space() -> None:
    x, y = check_pair(torch.zeros(2, 3), torch.zeros(4, 3, dtype=torch.float64))
    assert x.dtype == y.dtype == torch.float64
    with pytest.raises(ValueError, match="same dimension, got 3 and 2; use the same extractor"):
        check_pair(torch.zeros(2, 3), torch.zeros(2, 2))
    with pytest.raises(ValueError, match="one device, got cpu and meta"):
        check_pair(torch.zeros(2, 3), torch.zeros(2, 3, device="meta"))


@given(st.integers(1, 50), st.integers(-2, 60))
def test_a_neighbour_other_than_itself_must_exist(n: int, k: int) -> None:
    if 1 <= k <= n - 1:
        check_neighbours(n, k)
    else:
        with pytest.raises(ValueError, match=f"got k={k} with {n} samples in fakes; use more samples"):
            check_neighbours(n, k, "fakes")


def test_blocks_are_copies_in_order_that_hold_every_row() -> None:
    x = torch.arange(5.0, dtype=torch.float64)[:, None].expand(5, 600_000)
    found = list(blocks(x))
    assert [len(block) for block in found] == [1] * 5  # two rows would be more than a million numbers
    assert torch.equal(torch.cat(found), x)
    small = torch.ones(3, 2, dtype=torch.float64)
    for block in blocks(small):
        block.zero_()
    assert torch.equal(small, torch.ones(3, 2, dtype=torch.float64))


def test_the_mean_is_summed_in_float64() -> None:
    x = torch.full((300_000, 5), 0.1) + torch.tensor([0.0, 1e4, -1e4, 1e-3, 7.0])
    np.testing.assert_allclose(column_mean(x).numpy(), x[0].double().numpy(), rtol=1e-12)
