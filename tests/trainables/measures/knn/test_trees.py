"""Trees in low dimension give the radii and the counts of brute force, ties included."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainables.measures.knn.cases import KINDS, brute, case, membership_of
from trainables.measures.knn import trees
from trainables.measures.knn.radii import dense_radii
from trainables.measures.knn.trees import LOW_DIMENSION, pair_distances, tree_membership, tree_radii


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_tree_radii_are_those_of_a_full_sort(kind, d):
    x = case(kind, 90, d, d)
    expected = np.sort(brute(x, x), axis=1)[:, [1, 4, 20]]  # column 0 is the sample itself
    np.testing.assert_allclose(tree_radii(x, (1, 4, 20)), expected, rtol=1e-13, atol=0)


@given(
    st.sampled_from(KINDS),
    st.sampled_from(KINDS),
    st.integers(1, LOW_DIMENSION),
    st.integers(0, 99),
    st.booleans(),
)
@settings(max_examples=60)
def test_tree_membership_is_brute_force(kind_real, kind_fake, d, seed, strict):
    x, y = case(kind_real, 50, d, seed), case(kind_fake, 37, d, seed + 1000)
    y[:5] = x[:5]  # copies across the sets lie exactly on the balls of their neighbours
    rx, ry = tree_radii(x, (1, 5)), tree_radii(y, (1, 5))
    distances = pair_distances(np.repeat(x, 37, axis=0), np.tile(y, (50, 1))).reshape(50, 37)
    found = tree_membership(x, y, rx, ry, strict)
    compare = np.less if strict else np.less_equal
    for r in range(2):
        in_real, in_fake = compare(distances, rx[:, r, None]), compare(distances, ry[:, r])
        assert found.real_balls_around_fake[:, r].tolist() == in_real.sum(0).tolist()
        assert found.fakes_in_real_ball[:, r].tolist() == in_real.sum(1).tolist()
        assert found.fake_balls_around_real[:, r].tolist() == in_fake.sum(1).tolist()
        assert found.reals_in_fake_ball[:, r].tolist() == in_fake.sum(0).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_trees_and_products_agree(kind):
    x, y = (case(kind, n, 3, n) for n in (60, 45))
    tx, ty = torch.from_numpy(x), torch.from_numpy(y)
    np.testing.assert_allclose(tree_radii(x, (2, 6)), dense_radii(tx, (2, 6)), rtol=1e-13, atol=0)
    rx, ry = (
        tree_radii(x, (2, 6)) * 1.05,
        tree_radii(y, (2, 6)) * 1.05,
    )  # off the ties, which rounding decides
    trees = tree_membership(x, y, rx, ry, strict=False)
    dense = membership_of(tx, ty, torch.from_numpy(rx), torch.from_numpy(ry), strict=False)
    for field in fields(trees):
        assert torch.equal(getattr(trees, field.name), getattr(dense, field.name)), field.name


def test_chunks_of_centres_make_up_the_whole(monkeypatch):
    x, y = case("copies", 70, 2, 5), case("normal", 40, 2, 6)
    rx, ry = tree_radii(x, (3,)), tree_radii(y, (3,))
    whole = tree_membership(x, y, rx, ry, strict=False)
    monkeypatch.setattr(trees, "_CHUNK", 9)
    pieces = tree_membership(x, y, rx, ry, strict=False)
    for field in fields(whole):
        assert torch.equal(getattr(pieces, field.name), getattr(whole, field.name)), field.name


def test_distances_of_pairs_are_symmetric_to_the_last_bit():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(500, 3)), rng.normal(size=(500, 3))
    assert (pair_distances(x, y) == pair_distances(y, x)).all()
    np.testing.assert_allclose(pair_distances(x, y), np.linalg.norm(x - y, axis=1), rtol=1e-14)


def test_progress_ends_where_the_balls_do(monkeypatch):
    monkeypatch.setattr(trees, "_CHUNK", 8)
    x, y = np.random.default_rng(0).normal(size=(2, 30, 2))
    heard: list[float] = []
    tree_membership(x, y, tree_radii(x, (2, 3)), tree_radii(y, (2, 3)), False, heard.append)
    assert heard == sorted(heard)
    assert 0 < heard[0] < 0.1
    assert heard[-1] == 1
