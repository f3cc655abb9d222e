"""Distances from one float32 product, with a bound that holds and is needed, and exact ones to settle the rest."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.trainables.measures.knn.cases import KINDS, brute, case
from trainables.measures.knn.products import (
    Points,
    full_float32,
    lower_bounds,
    plain_products,
    tiles,
)


def bounds_of(a, b):
    out = torch.empty(len(a), len(b))
    return torch.as_tensor(lower_bounds(a.panel(0, len(a)), b.panel(0, len(b)), out)).double()


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


def test_plain_products_are_by_the_blas_and_leave_settings_as_they_were():
    assert torch.backends.mkldnn.enabled
    with plain_products():
        assert not torch.backends.mkldnn.enabled
        assert torch.backends.mkldnn.matmul.fp32_precision == "ieee"
    assert torch.backends.mkldnn.enabled


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_bound_holds_for_every_kind_of_set(kind, dtype):
    x, y = (torch.from_numpy(case(kind, n, 12, n)).to(dtype) for n in (40, 30))
    a, b = Points.together(x, y)
    with full_float32():
        low = bounds_of(a, b)
    high = low + a.width[:, None] + b.width
    truth = torch.from_numpy(brute(x.numpy(), y.numpy()) / a.scale) ** 2
    assert bool(((low <= truth) & (truth <= high)).all())
    assert float(max(a.norms.max(), b.norms.max())) <= 2.0**40


@pytest.mark.parametrize("kind", ["normal", "offset", "tiny"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_panel_is_moved_and_scaled_and_may_lie_in_old_memory(kind, dtype):
    x = torch.from_numpy(case(kind, 20, 31, 0)).to(dtype)
    (points,) = Points.together(x)
    panel = points.panel(3, 9)
    moved = ((x[3:9] - points.origin) / points.scale).float()
    torch.testing.assert_close(panel.points, moved, rtol=1e-6, atol=1e-7)
    assert np.array_equal(panel.bounds, (points.norms[3:9] * (1 - points.slack) - points.floor).float())
    again = points.panel(3, 9, torch.full((1000,), torch.nan))
    assert torch.equal(again.points, panel.points)
    part = panel.part(2, 5)
    assert torch.equal(part.points, points.panel(5, 8).points)
    assert np.array_equal(part.bounds, panel.bounds[2:5])
    pieces = tiles(20, 7)
    for made, (start, stop) in zip(points.panels(pieces), pieces, strict=True):
        assert torch.equal(made.points, points.panel(start, stop).points)
        assert np.array_equal(made.bounds, points.panel(start, stop).bounds)


def test_features_near_zero_serve_as_they_are():
    """Without a copy, of one panel or of all; the caller's array stays as it was."""
    x = torch.from_numpy(np.abs(case("normal", 20, 31, 0)).astype(np.float32))
    before = x.clone()
    (points,) = Points.together(x)
    assert points.as_given
    for panel in (points.panel(3, 9), points.panels([(0, 3), (3, 9)])[1]):
        assert panel.points.data_ptr() == x[3:9].data_ptr()
    assert torch.equal(x, before)


def test_features_that_serve_beside_others_may_not_serve_alone():
    """The first set has its mean near zero, the second far off: bounds among its own rows would be wide."""
    near = torch.from_numpy(case("normal", 40, 31, 0)).float()
    y, x = Points.together(near, near + 9)
    assert y.as_given
    assert x.as_given
    assert y.alone_as_given
    assert not x.alone_as_given
    y, x = Points.together(near, near * 2.0**-60)  # alone they would be scaled
    assert x.as_given
    assert not x.alone_as_given


def test_one_row_far_off_does_not_make_zero_a_good_origin():
    """Neither in the sample whose mean is taken nor beside it."""
    for outlier in (0, 1):
        x = torch.from_numpy(case("normal", 3000, 12, 0)).float() + 100
        x[outlier] = 1e5
        (points,) = Points.together(x)
        assert points.as_given == (outlier == 0)


@pytest.mark.parametrize(
    "prepared",
    [
        lambda x: x + 3,
        lambda x: x * 2.0**40,
        lambda x: x * 2.0**-40,
        lambda x: x.double(),
        lambda x: x.T.contiguous().T,
    ],
    ids=["far off", "huge", "tiny", "float64", "columns"],
)
def test_other_features_are_copied_and_stay_as_they_were(prepared):
    x = prepared(torch.from_numpy(case("normal", 20, 31, 0)).float())
    before = x.clone()
    (points,) = Points.together(x)
    assert not points.as_given
    inside = range(x.data_ptr(), x.data_ptr() + x.numel() * x.element_size())
    assert points.panel(3, 9).points.data_ptr() not in inside
    assert torch.equal(x, before)


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
def test_tiles_cover_everything_once_in_equal_pieces(n, side, unit):
    pieces = tiles(n, side, unit)
    sizes = [stop - start for start, stop in pieces]
    assert [index for start, stop in pieces for index in range(start, stop)] == list(range(n))
    assert max(sizes) <= max(side, unit)
    assert all(start % unit == 0 for start, _ in pieces)
    assert max(sizes) - min(sizes[:-1], default=max(sizes)) <= unit
    assert max(sizes) - sizes[-1] < 2 * unit


def test_distances_beyond_float64_are_a_sentence():
    x = torch.tensor([[1e200, 0.0], [-1e200, 1.0]], dtype=torch.float64)
    with pytest.raises(ValueError, match="overflow float64; rescale the features"):
        Points.together(x)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_features_on_a_gpu_are_copied_and_stay_as_they_were(dtype):
    x = torch.from_numpy(case("offset", 20, 31, 0)).to("cuda", dtype)
    before = x.clone()
    (points,) = Points.together(x)
    points.panel(3, 9)
    assert not points.as_given
    assert torch.equal(x, before)
