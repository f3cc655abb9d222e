"""The float32 engine decides every pair as float64 brute force does: ties, copies, outliers, offsets, scales."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trainables.measures.knn import membership, radii, selection
from trainables.measures.knn.membership import dense_membership
from trainables.measures.knn.neighbours import ball_counts
from trainables.measures.knn.products import Points, exact_distances, full_float32, lower_bounds, tiles
from trainables.measures.knn.radii import dense_radii
from trainables.measures.knn.selection import Smallest, smallest


def _brute(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.sqrt(np.square(x[:, None].astype(np.float64) - y[None].astype(np.float64)).sum(-1))


def _case(kind: str, n: int, d: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    if kind == "grid":  # many exact ties
        x = rng.integers(0, 3, size=(n, d)).astype(float)
    elif kind == "copies":
        x = x[rng.integers(0, max(2, n // 6), size=n)]
    elif kind == "outlier":  # one far point makes every float32 product useless
        x[0] = 1e6
    elif kind == "offset":
        x = x + 1e4
    elif kind == "tiny":
        x = x * 1e-25
    elif kind == "huge":
        x = x * 1e25
    elif kind == "constant":
        x = np.full((n, d), 0.1)
    return x


KINDS = ["normal", "grid", "copies", "outlier", "offset", "tiny", "huge", "constant"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_radii_are_exact(kind, dtype, monkeypatch):
    monkeypatch.setattr(radii, "_CPU_SIDE", 23)  # several tiles, the last ones uneven
    x = _case(kind, 101, 9, 0).astype(dtype)
    distances = _brute(x, x)
    np.fill_diagonal(distances, np.inf)
    expected = np.sort(distances, axis=1)[:, [0, 3, 6]]
    np.testing.assert_allclose(dense_radii(torch.from_numpy(x), (1, 4, 7)), expected, rtol=1e-13, atol=0)


@given(
    st.sampled_from(KINDS),
    st.sampled_from(KINDS),
    st.integers(4, 40),
    st.integers(12, 60),
    st.integers(0, 99),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_membership_is_exact(kind_real, kind_fake, d, n, seed, strict):
    x, y = _case(kind_real, n, d, seed), _case(kind_fake, 37, d, seed + 1000)
    y[:5] = x[:5]  # copies across the sets lie exactly on the balls of their neighbours
    tx, ty = torch.from_numpy(x), torch.from_numpy(y)
    rx, ry = dense_radii(tx, (1, 5)), dense_radii(ty, (1, 5))
    i, j = (a.ravel() for a in np.meshgrid(np.arange(n), np.arange(37), indexing="ij"))
    distances = exact_distances(tx, ty, torch.from_numpy(i), torch.from_numpy(j)).view(n, 37)
    found = dense_membership(tx, ty, rx, ry, strict)
    compare = torch.lt if strict else torch.le
    for r in range(2):
        in_real, in_fake = compare(distances, rx[:, r, None]), compare(distances, ry[:, r])
        assert torch.equal(found.real_balls_around_fake[:, r], in_real.sum(0))
        assert torch.equal(found.fakes_in_real_ball[:, r], in_real.sum(1))
        assert torch.equal(found.fake_balls_around_real[:, r], in_fake.sum(1))
        assert torch.equal(found.reals_in_fake_ball[:, r], in_fake.sum(0))


def test_many_open_pairs_measure_copies_once(monkeypatch):
    """All samples equal: every pair is open, and only one distance is measured per tile and kind of ball."""
    measured = []
    whole = membership.exact_distances
    monkeypatch.setattr(
        membership, "exact_distances", lambda x, y, i, j: (measured.append(len(i)), whole(x, y, i, j))[1]
    )
    x = torch.full((300, 8), 0.3)
    counts = ball_counts(x, x, 3)
    assert counts.scores().precision == counts.scores().recall == counts.scores().coverage == 1.0
    assert counts.real_balls_around_fake.tolist() == [300] * 300
    assert max(measured) == 1


def test_the_bound_holds_and_is_needed():
    """Float32 products do err, and never by more than the bound."""
    rng = np.random.default_rng(5)
    x = torch.from_numpy(rng.normal(size=(200, 700)).astype(np.float32) + 3)
    (points,) = Points.together(x)
    with full_float32():
        low = lower_bounds(
            points.panel(0, 200, -2.0), points.columns(0, 200), *[points.low_norms(0, 200)] * 2
        ).double()
    truth = torch.from_numpy(_brute(x.numpy(), x.numpy())) ** 2 / points.scale**2
    width = points.width(0, 200).double()
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


@given(st.integers(1, 9), st.integers(1, 200), st.integers(1, 12), st.integers(2, 9), st.booleans())
@settings(max_examples=80, deadline=None)
def test_chunked_selection_is_a_full_sort(n, m, c, chunk, turned):
    generator = torch.Generator().manual_seed(n * 1000 + m)
    tile = torch.randint(0, 50, (n, m), generator=generator).float()
    if turned:
        tile = tile.T.contiguous().T
    values, columns = smallest(tile, c, chunk)
    expected = tile.sort(dim=1).values[:, : min(c, m)]
    assert torch.equal(values.sort(dim=1).values, expected)
    assert torch.equal(tile.gather(1, columns), values)
    assert all(len(set(row)) == len(row) for row in columns.tolist())


def test_running_candidates_meet_every_tile():
    whole = torch.rand(7, 300, generator=torch.Generator().manual_seed(0))
    found = Smallest(7, 5, torch.device("cpu"))
    for start, stop in tiles(300, 64):
        found.update(0, whole[:, start:stop], start)
    assert torch.equal(found.values.sort(dim=1).values, whole.sort(dim=1).values[:, :5])
    assert torch.equal(whole.gather(1, found.columns), found.values)


def test_wide_tiles_take_the_chunked_path():
    assert selection._CHUNK * 2 * 5 < 2000
    tile = torch.rand(6, 2011, generator=torch.Generator().manual_seed(1))
    assert torch.equal(smallest(tile, 5)[0].sort(dim=1).values, tile.sort(dim=1).values[:, :5])
