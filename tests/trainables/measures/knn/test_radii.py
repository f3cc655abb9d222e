"""Radii are those of a full sort in float64, whatever the set, its tiles and its candidates."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.trainables.measures.knn.cases import KINDS, brute, case
from trainables.measures.knn import radii
from trainables.measures.knn.radii import dense_radii


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_radii_are_exact(kind, dtype, monkeypatch):
    monkeypatch.setattr(radii, "_CPU_SIDE", 23)  # several tiles, the last ones uneven
    x = case(kind, 101, 9, 0).astype(dtype)
    distances = brute(x, x)
    np.fill_diagonal(distances, np.inf)
    expected = np.sort(distances, axis=1)[:, [0, 3, 6]]
    np.testing.assert_allclose(dense_radii(torch.from_numpy(x), (1, 4, 7)), expected, rtol=1e-13, atol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_radii_are_exact_where_most_tiles_hold_few_neighbours(kind, monkeypatch):
    """Many tiles per row: candidates come as single entries, on several threads, in whatever order."""
    monkeypatch.setattr(radii, "_CPU_SIDE", 80)
    x = case(kind, 700, 16, 1).astype(np.float32)
    distances = brute(x, x)
    np.fill_diagonal(distances, np.inf)
    expected = np.sort(distances, axis=1)[:, [0, 2]]
    np.testing.assert_allclose(dense_radii(torch.from_numpy(x), (1, 3)), expected, rtol=1e-13, atol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_without_spare_candidates_the_radii_are_still_exact(kind):
    """Rows whose candidates cannot be proved to be enough are done again in float64."""
    x = case(kind, 60, 5, 3)
    distances = brute(x, x)
    np.fill_diagonal(distances, np.inf)
    found = dense_radii(torch.from_numpy(x), (2, 5), spare=0)
    np.testing.assert_allclose(found, np.sort(distances, axis=1)[:, [1, 4]], rtol=1e-13, atol=0)


def test_the_farthest_neighbour_is_the_last_one():
    x = case("normal", 20, 6, 4)
    found = dense_radii(torch.from_numpy(x), (19,))
    np.testing.assert_allclose(found[:, 0], brute(x, x).max(axis=1), rtol=1e-13)


@pytest.mark.parametrize(("first", "last"), [(0, 1024), (100, 999), (7, 40)])
def test_the_tiles_of_a_square_meet_every_pair_once(first, last):
    seen = np.zeros((last, last), dtype=int)
    for (start, stop), (left, right) in radii._triangle(first, last):
        seen[start:stop, left:right] += 1
    above = np.triu(np.ones((last - first, last - first), dtype=bool))
    assert (seen[first:, first:][above] == 1).all()
    assert seen.max() == 1


def test_a_tile_fits_the_cache_of_a_cpu():
    """And small sets have a few tiles for every thread."""
    cpu = torch.device("cpu")
    side = radii.tile_side(10**6, cpu)
    assert side**2 * 4 <= 4 << 20
    assert radii.tile_side(100, cpu) == 256
    across = 900 / radii.tile_side(900, cpu)
    assert side >= radii.tile_side(900, cpu)
    assert across**2 / 2 >= 3 * torch.get_num_threads() or across >= 900 / 256


@pytest.mark.parametrize(("device", "cut"), [("cpu", True), ("cuda", False)])
def test_the_last_tile_of_every_thread_is_cut_and_everything_is_met_once(device, cut):
    rows, columns = [(0, 5), (5, 11), (11, 26)], [(0, 7), (7, 9)]
    pairs = [(i, j) for i in range(3) for j in range(2)]
    seen = np.zeros((26, 9), dtype=int)
    found = radii.strips(pairs, rows, torch.device(device))
    for i, j, top, bottom in found:
        seen[rows[i][0] + top : rows[i][0] + bottom, slice(*columns[j])] += 1
    assert (seen == 1).all()
    last = [(top, bottom) for i, j, top, bottom in found if (i, j) == (2, 1)]
    assert len(last) == (4 if cut else 1)
    assert len(found) == 6 or cut
