"""Distances from one float32 product, with a bound that holds and is needed, and exact ones to settle the rest."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainables.measures.knn.cases import KINDS, brute, case
from trainables.measures.knn.products import Points, exact_distances, full_float32, lower_bounds, tiles


def bounds_of(a, b):
    out = torch.empty(len(a), len(b))
    return lower_bounds(a.panel(0, len(a)), b.panel(0, len(b)), out).double()


def test_the_bound_holds_and_is_needed():
    """Float32 products do err, and never by more than the bound."""
    rng = np.random.default_rng(5)
    x = torch.from_numpy(rng.normal(size=(200, 700)).astype(np.float32) + 3)
    (points,) = Points.together(x)
    with full_float32():
        low = bounds_of(points, points)
    truth = torch.from_numpy(brute(x.numpy(), x.numpy())) ** 2 / points.scale**2
    width = points.width
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
        low = bounds_of(a, b)
    high = low + a.width[:, None] + b.width
    truth = torch.from_numpy(brute(x.numpy(), y.numpy()) / a.scale) ** 2
    assert bool(((low <= truth) & (truth <= high)).all())
    assert float(max(a.norms.max(), b.norms.max())) <= 1.0


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_panel_is_transposed_filled_up_and_may_lie_in_old_memory(dtype):
    x = torch.from_numpy(case("normal", 20, 31, 0)).to(dtype)
    (points,) = Points.together(x)
    panel = points.panel(3, 9)
    assert panel.points.shape == (32, 6)
    assert panel.points.is_contiguous()
    assert float(panel.points[31:].abs().max()) == 0.0
    moved = ((x[3:9] - points.origin) / points.scale).float()
    torch.testing.assert_close(panel.points[:31].T, moved, rtol=1e-6, atol=1e-7)
    assert torch.equal(panel.bounds, (points.norms[3:9] * (1 - points.slack) - points.floor).float())
    again = points.panel(3, 9, torch.full((1000,), torch.nan))
    assert torch.equal(again.points, panel.points)
    part = panel.part(2, 5)
    assert torch.equal(part.points, points.panel(5, 8).points)
    assert torch.equal(part.bounds, panel.bounds[2:5])
    pieces = tiles(20, 7)
    for made, (start, stop) in zip(points.panels(pieces), pieces, strict=True):
        assert torch.equal(made.points, points.panel(start, stop).points)


def test_the_bound_survives_underflow():
    """Squares of coordinates far below the largest vanish in float32; the floor pays for all d of them."""
    x = torch.full((3, 3000), 2.0**-63, dtype=torch.float64)
    x[1] *= -1
    x[2] = 3000**-0.5
    a, b = Points.together(x, x)
    with full_float32():
        low = bounds_of(a, b)
    truth = torch.from_numpy(brute(x.numpy(), x.numpy()) / a.scale) ** 2
    high = low + a.width[:, None] + b.width
    assert bool(((low <= truth) & (truth <= high)).all())


@given(st.integers(1, 500), st.integers(1, 60), st.sampled_from([1, 4, 16]))
@settings(deadline=None)
def test_tiles_cover_everything_once_in_equal_pieces(n, side, unit):
    pieces = tiles(n, side, unit)
    sizes = [stop - start for start, stop in pieces]
    assert [index for start, stop in pieces for index in range(start, stop)] == list(range(n))
    assert max(sizes) <= max(side, unit)
    assert all(start % unit == 0 for start, _ in pieces)
    assert max(sizes) - min(sizes[:-1], default=max(sizes)) <= unit
    assert max(sizes) - sizes[-1] < 2 * unit


@pytest.mark.parametrize("kind", KINDS)
def test_exact_distances_are_brute_force_symmetric_and_zero_at_home(kind):
    x, y = (torch.from_numpy(case(kind, 50, 7, seed)) for seed in (0, 1))
    i, j = (a.flatten() for a in torch.meshgrid(torch.arange(50), torch.arange(50), indexing="ij"))
    found = exact_distances(x, y, i, j)
    np.testing.assert_allclose(found.view(50, 50), brute(x.numpy(), y.numpy()), rtol=1e-13, atol=0)
    assert torch.equal(found, exact_distances(y, x, j, i))
    assert torch.equal(found[1007:1008], exact_distances(x, y, i[1007:1008], j[1007:1008]))
    assert float(exact_distances(x, x, torch.arange(50), torch.arange(50)).max()) == 0.0
    assert exact_distances(x, y, i[:0], j[:0]).shape == (0,)


def test_distances_beyond_float64_are_a_sentence():
    x = torch.tensor([[1e200, 0.0], [-1e200, 1.0]], dtype=torch.float64)
    with pytest.raises(ValueError, match="overflow float64; rescale the features"):
        Points.together(x)
