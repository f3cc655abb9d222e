"""PRD curves against exact discrete curves, and their orientation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainables.measures.prd import Quantised, curve_from_histograms, quantise
from trainables.precision_recall import curve_discrete, equiangular_grid


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=2, max_size=8))
@settings(max_examples=50)
def test_histogram_curve_is_the_exact_discrete_curve(pairs):
    p, q = np.array(pairs).T
    p[0] += 1
    q[-1] += 1
    ours = curve_from_histograms(p, q, 101)
    exact = curve_discrete(p / p.sum(), q / q.sum(), equiangular_grid(101))
    np.testing.assert_allclose(ours.precision, np.squeeze(exact.precision), atol=1e-12)
    np.testing.assert_allclose(ours.recall, np.squeeze(exact.recall), atol=1e-12)


def _blobs(modes, n, rng):
    return 20.0 * np.asarray(modes)[rng.integers(len(modes), size=n), None] + rng.normal(size=(n, 2))


def test_no_swap_passes():
    """Fakes on half the modes: precision summary F_1/8 near 1, recall summary F_8 near ½; swapped, mirrored."""
    rng = np.random.default_rng(0)
    real, fake = _blobs(range(10), 3000, rng), _blobs(range(5), 3000, rng)
    dropped = quantise(real, fake, clusters=10, runs=3).curve()
    assert dropped.f_max(1 / 8) > 0.95
    assert dropped.f_max(8) < 0.56
    added = quantise(fake, real, clusters=10, runs=3).curve()
    assert added.f_max(8) > 0.95
    assert added.f_max(1 / 8) < 0.56


def test_identical_and_disjoint():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(400, 3))
    same = quantise(x, x, runs=2).curve()
    assert float(same.auc()) == pytest.approx(1.0, abs=1e-6)
    apart = quantise(x, x + 100, runs=2).curve()
    assert float(apart.auc()) == pytest.approx(0.0, abs=1e-12)


def test_histograms_count_labels_and_parts_share_them_out():
    rng = np.random.default_rng(2)
    real, fake = rng.integers(4, size=(5, 30)), rng.integers(4, size=(5, 20))
    sets = Quantised(real, fake, 4)
    np.testing.assert_array_equal(sets.real[1], [(real[1] == cluster).sum() for cluster in range(4)])
    parts = sets.parts(2)
    assert len(parts) == 2
    np.testing.assert_array_equal(np.concatenate([part.fake for part in parts]), sets.fake[:4])
    curves = np.stack([part.curve(11).precision for part in parts])
    whole = Quantised(real[:4], fake[:4], 4).curve(11).precision
    np.testing.assert_allclose(curves.mean(axis=0), whole, atol=1e-12)


@pytest.mark.parametrize(("unit", "offset"), [(1e25, 0.0), (1e-30, 0.0), (2.0**-10, 1e6)])
def test_unit_and_offset_of_the_features_do_not_matter(unit, offset):
    rng = np.random.default_rng(6)
    real, fake = rng.normal(size=(200, 3)), rng.normal(size=(150, 3)) / 2
    plain, moved = (
        quantise(real * u + o, fake * u + o, clusters=6, runs=3).curve(101)
        for u, o in ((1.0, 0.0), (unit, offset))
    )
    assert float(plain.auc()) < 0.9
    assert float(moved.auc()) == pytest.approx(float(plain.auc()), abs=0.03)


def test_the_explained_share_is_that_between_clusters():
    real, fake = np.array([[0.0, 0.0], [0.0, 2.0]]), np.array([[6.0, 0.0], [6.0, 2.0]])
    sets = Quantised(np.array([[0, 0]]), np.array([[1, 1]]), 3)
    # Between: 4 points 3 from the middle; within: 4 points 1 from their centres.
    assert sets.explained(real, fake) == pytest.approx(36 / 40)
    assert sets.explained(np.zeros((2, 2)), np.zeros((2, 2))) == 1.0
