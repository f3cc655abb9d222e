"""Radii are those of a full sort in float64, whatever the set, its tiles and its candidates."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.trainables.measures.knn.cases import KINDS, brute, case
from trainables.measures.knn import cut, radii
from trainables.measures.knn.cut import Cut
from trainables.measures.knn.products import Points
from trainables.measures.knn.radii import dense_radii, radii_within


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_radii_are_exact(kind, dtype, monkeypatch):
    monkeypatch.setattr(cut, "_CPU_SIDE", 23)  # several tiles, the last ones uneven
    x = case(kind, 101, 9, 0).astype(dtype)
    distances = brute(x, x)
    np.fill_diagonal(distances, np.inf)
    expected = np.sort(distances, axis=1)[:, [0, 3, 6]]
    np.testing.assert_allclose(dense_radii(torch.from_numpy(x), (1, 4, 7)), expected, rtol=1e-13, atol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_radii_are_exact_where_most_tiles_hold_few_neighbours(kind, monkeypatch):
    """Many tiles per row: candidates come as single entries, on several threads, in whatever order."""
    monkeypatch.setattr(cut, "_CPU_SIDE", 80)
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


def test_several_sets_are_searched_at_a_time_and_none_sees_another(monkeypatch):
    monkeypatch.setattr(cut, "_CPU_SIDE", 16)
    sets = [torch.from_numpy(case("copies", n, 7, n)).float() for n in (90, 41, 70)]
    cuts = [Cut.of(*Points.together(x)) for x in sets]
    for found, x in zip(radii_within(cuts, (1, 4)), sets, strict=True):
        assert torch.equal(found, dense_radii(x, (1, 4)))


def _huddles(huddles, n, d, spread, dtype, seed=0):
    """Samples in huddles that are much smaller than they are far from each other, as a collapsed model makes them."""
    rng = np.random.default_rng(seed)
    places = rng.normal(size=(huddles, d))[rng.integers(huddles, size=n)]
    return (places * (1 + spread * rng.normal(size=(n, d)))).astype(dtype)


@pytest.mark.parametrize(
    ("spread", "dtype"), [(1e-7, np.float32), (1e-9, np.float64), (1e-12, np.float64), (1e-14, np.float64)]
)
@pytest.mark.parametrize(("huddles", "d"), [(3, 8), (5, 300)])
def test_neighbours_much_nearer_than_the_origin_are_told_apart(spread, dtype, huddles, d):
    """Squares of 1e-9 vanish beside 1 in float64: no product of such samples shows their distances."""
    x = _huddles(huddles, 200, d, spread, dtype)
    distances = brute(x, x)
    np.fill_diagonal(distances, np.inf)
    expected = np.sort(distances, axis=1)[:, [0, 4]]
    np.testing.assert_allclose(dense_radii(torch.from_numpy(x), (1, 5)), expected, rtol=1e-13, atol=0)


def test_huddles_within_huddles():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(240, 6))
    for level, share in ((1e-10, 160), (1e-20, 80), (1e-40, 40)):
        x[:share] *= level
    distances = brute(x, x)
    np.fill_diagonal(distances, np.inf)
    expected = np.sort(distances, axis=1)[:, [2]]
    np.testing.assert_allclose(dense_radii(torch.from_numpy(x), (3,)), expected, rtol=1e-13, atol=0)


def test_samples_that_all_share_one_far_neighbour():
    """Nobody is left out of what is looked at closer: the rows are then measured one by one."""
    x = np.concatenate([np.full((1, 4), 1e9), _huddles(1, 12, 4, 1e-12, np.float64)])
    distances = brute(x, x)
    np.fill_diagonal(distances, np.inf)
    found = dense_radii(torch.from_numpy(x), (2, 12), spare=0)
    np.testing.assert_allclose(found, np.sort(distances, axis=1)[:, [1, 11]], rtol=1e-13, atol=0)


@pytest.mark.parametrize(("ks", "looks"), [((1, 3), [10, 10] * 30), ((5, 15), [])])
def test_a_closer_look_is_taken_at_what_is_near_alone(ks, looks, monkeypatch):
    """Ten near-copies of every sample: once for each k among more of them than there are candidates, else never."""
    rng = np.random.default_rng(2)
    x = np.repeat(rng.normal(size=(30, 12)), 10, axis=0) * (1 + 1e-10 * rng.normal(size=(300, 12)))
    distances = brute(x, x)
    np.fill_diagonal(distances, np.inf)
    expected = np.sort(distances, axis=1)[:, [k - 1 for k in ks]]
    looked = []

    def counted(features, ks, *others, **more):
        looked.append(len(features))
        return dense_radii(features, ks, *others, **more)

    monkeypatch.setattr(radii, "dense_radii", counted)
    found = dense_radii(torch.from_numpy(x), ks, spare=0)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=0)
    assert looked == looks


def test_copies_need_no_closer_look(monkeypatch):
    def refuse(features, radii, rows, *others):
        assert not len(rows)

    monkeypatch.setattr(radii, "_look_closer", refuse)
    x = np.repeat(np.random.default_rng(3).normal(size=(20, 6)), 15, axis=0)
    found = dense_radii(torch.from_numpy(x), (5, 20))
    distances = np.sort(brute(x, x), axis=1)
    np.testing.assert_allclose(found, distances[:, [5, 20]], rtol=1e-13, atol=0)
