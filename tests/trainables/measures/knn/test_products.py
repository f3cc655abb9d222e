"""Distances from one float32 product, with a bound that holds and is needed, and exact ones to settle the rest."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainables.measures.knn.cases import KINDS, brute, case
from trainables.measures.knn.products import Points, exact_distances, full_float32, tiles


def test_the_bound_holds_and_is_needed():
    """Float32 products do err, and never by more than the bound."""
    rng = np.random.default_rng(5)
    x = torch.from_numpy(rng.normal(size=(200, 700)).astype(np.float32) + 3)
    (points,) = Points.together(x)
    with full_float32():
        low = (points.left(0, 200) @ points.right(0, 200)).double()
    truth = torch.from_numpy(brute(x.numpy(), x.numpy())) ** 2 / points.scale**2
    width = points.width(0, 200)
    high = low + width[:, None] + width
    assert bool(((low <= truth) & (truth <= high)).all())
    middle = (low + high) / 2
    assert float(((middle - truth).abs() / (width[:, None] + width)).max()) > 1e-4


def test_products_ignore_reduced_precision_settings():
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium")
    try:
        with full_float32():
            assert torch.backends.mkldnn.matmul.fp32_precision == "ieee"
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision(before)


@pytest.mark.parametrize("kind", KINDS)
def test_the_bound_holds_for_every_kind_of_set(kind):
    x, y = (torch.from_numpy(case(kind, n, 12, n)) for n in (40, 30))
    a, b = Points.together(x, y)
    with full_float32():
        low = (a.left(0, 40) @ b.right(0, 30)).double()
    high = low + a.width(0, 40)[:, None] + b.width(0, 30)
    truth = torch.from_numpy(brute(x.numpy(), y.numpy()) / a.scale) ** 2
    assert bool(((low <= truth) & (truth <= high)).all())
    assert float(max(a.norms.max(), b.norms.max())) <= 1.0


def test_the_norms_ride_in_the_product():
    """Left and right have their norms and ones crosswise, and a width that kernels like."""
    x = torch.from_numpy(case("normal", 20, 31, 0))
    (points,) = Points.together(x)
    left, right = points.left(3, 9), points.right(0, 20)
    assert left.shape == (6, 48)
    assert right.shape == (48, 20)
    assert right.is_contiguous()
    norms = (points.norms * (1 - points.slack)).float()
    assert torch.equal(left[:, 31], norms[3:9])
    assert torch.equal(right[32], norms)
    assert left[:, 32].unique().tolist() == right[31].unique().tolist() == [1.0]
    assert float(left[:, 33:].abs().max()) == float(right[33:].abs().max()) == 0.0


def test_the_bound_survives_underflow():
    """Squares of coordinates far below the largest vanish in float32; the floor pays for all d of them."""
    x = torch.full((3, 3000), 2.0**-63, dtype=torch.float64)
    x[1] *= -1
    x[2] = 3000**-0.5
    a, b = Points.together(x, x)
    with full_float32():
        low = (a.left(0, 3) @ b.right(0, 3)).double()
    truth = torch.from_numpy(brute(x.numpy(), x.numpy()) / a.scale) ** 2
    high = low + a.width(0, 3)[:, None] + b.width(0, 3)
    assert bool(((low <= truth) & (truth <= high)).all())


@given(st.integers(1, 500), st.integers(1, 60))
@settings(deadline=None)
def test_tiles_cover_everything_once_in_equal_pieces(n, side):
    pieces = tiles(n, side)
    sizes = [stop - start for start, stop in pieces]
    assert [index for start, stop in pieces for index in range(start, stop)] == list(range(n))
    assert max(sizes) <= side
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("kind", KINDS)
def test_exact_distances_are_brute_force_symmetric_and_zero_at_home(kind):
    x, y = (torch.from_numpy(case(kind, 50, 7, seed)) for seed in (0, 1))
    i, j = (a.flatten() for a in torch.meshgrid(torch.arange(50), torch.arange(50), indexing="ij"))
    found = exact_distances(x, y, i, j)
    np.testing.assert_allclose(found.view(50, 50), brute(x.numpy(), y.numpy()), rtol=1e-13, atol=0)
    assert torch.equal(found, exact_distances(y, x, j, i))
    assert torch.equal(found[1007:1008], exact_distances(x, y, i[1007:1008], j[1007:1008]))
    assert float(exact_distances(x, x, torch.arange(50), torch.arange(50)).max()) == 0.0


def test_distances_beyond_float64_are_a_sentence():
    x = torch.tensor([[1e200, 0.0], [-1e200, 1.0]], dtype=torch.float64)
    with pytest.raises(ValueError, match="overflow float64; rescale the features"):
        Points.together(x)
