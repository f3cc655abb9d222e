"""PRD curves against exact discrete curves, their orientation and their intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainables.measures.bootstrap import estimate
from trainables.measures.prd import Quantised, curve_from_histograms, quantise
from trainables.precision_recall import curve_discrete, equiangular_grid


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=2, max_size=8))
@settings(max_examples=50, deadline=None)
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


def test_intervals_hold_fresh_values():
    """The bootstrap spread of F_8 is that of fresh multinomial samples of the same histograms."""
    rng = np.random.default_rng(2)
    p, q = np.array([[300, 100, 50, 50]]), np.array([[100, 300, 100, 0]])
    fresh = [
        curve_from_histograms(rng.multinomial(500, p[0] / 500), rng.multinomial(500, q[0] / 500), 201).f_max(
            8
        )
        for _ in range(300)
    ]
    sets = Quantised(*(np.repeat(np.arange(4), h[0])[None] for h in (p, q)), 4)
    np.testing.assert_array_equal(sets.real, p)
    np.testing.assert_array_equal(sets.fake, q)
    draws = sets.draws(300, rng)
    assert draws.f_max(8).std() == pytest.approx(np.std(fresh), rel=0.25)
    f8 = estimate(float(sets.curve().f_max(8)), draws.f_max(8), 0.95)
    assert f8.low < f8.value < f8.high


def test_the_crossed_curve_is_nearly_unbiased_where_the_plain_one_lies_low():
    """Clusters that are given: the least of two noisy shares lies low, most where they agree."""
    rng = np.random.default_rng(7)
    laws = {"equal": np.full(10, 0.1), "other": np.linspace(0.02, 0.18, 10)}
    for name, law in laws.items():
        exact = float(np.minimum(laws["equal"], law).sum())
        plain, crossed = [], []
        for _ in range(80):
            real = rng.choice(10, size=(1, 300), p=laws["equal"])
            fake = rng.choice(10, size=(1, 300), p=law)
            sets = Quantised(real, fake, 10)
            plain.append(sets.curve(3).precision[1])  # λ = 1
            crossed.append(sets.crossed(rng, 3).precision[1])
        assert np.mean(plain) < exact - 0.01, name
        assert abs(np.mean(crossed) - exact) < 0.025, name
    assert np.mean(plain) < np.mean(crossed)


def test_the_crossed_curve_of_two_folds_by_hand():
    """λ = 1. Fold 1 has p = (¼, 0, ¾), q = (½, ½, 0), fold 2 has p = (½, 0, ½), q = (¼, ¾, 0).

    Chosen on 2 and read on 1: q, p, q, i.e. ½ + 0 + 0; chosen on 1 and read on 2: p, p, q, i.e. ½ + 0 + 0.
    """

    class Straight:
        def permutation(self, n):
            return np.arange(n)

    real, fake = np.array([[0, 2, 2, 2, 0, 0, 2, 2]]), np.array([[0, 0, 1, 1, 0, 1, 1, 1]])
    sets = Quantised(real, fake, 3)
    found = sets.crossed(Straight(), 3, folds=2, rounds=1)
    assert found.lam[1] == pytest.approx(1.0)
    assert found.precision[1] == pytest.approx(0.5)
    assert sets.curve(3).precision[1] == pytest.approx(3 / 8)
    assert Quantised(real, real, 3).crossed(Straight(), 3, folds=2, rounds=1).precision[1] == 1.0  # capped
    with pytest.raises(ValueError, match="9 folds need as many samples in each set"):
        sets.crossed(Straight(), 3, folds=9)


def test_runs_are_drawn_again():
    """Runs that disagree make draws of samples that agree differ: one run has all in common, the other nothing."""
    real, fake = np.array([[0] * 50, [0] * 50]), np.array([[0] * 50, [1] * 50])
    draws = Quantised(real, fake, 2).draws(400, np.random.default_rng(8))
    at_one = draws.precision[:, 100]
    assert set(np.round(at_one, 6)) == {0.0, 0.5, 1.0}
    assert at_one.mean() == pytest.approx(0.5, abs=0.06)


def test_all_runs_see_the_same_draw():
    """Equal runs carry no more information than one: the spread of their mean is that of a single one."""
    rng = np.random.default_rng(3)
    p, q = rng.integers(6, size=(1, 400)), rng.integers(4, size=(1, 300))
    once = Quantised(p, q, 6).draws(400, np.random.default_rng(4))
    often = Quantised(p.repeat(8, axis=0), q.repeat(8, axis=0), 6).draws(400, np.random.default_rng(4))
    np.testing.assert_allclose(often.precision, once.precision, atol=1e-12)
    np.testing.assert_allclose(often.recall, once.recall, atol=1e-12)


def test_the_interval_is_as_wide_as_fresh_samples_vary():
    rng = np.random.default_rng(5)
    fresh, spreads = [], []
    for _ in range(40):
        real, fake = rng.normal(size=(300, 2)), 0.6 * rng.normal(size=(300, 2))
        sets = quantise(real, fake, clusters=8, runs=6)
        fresh.append(float(sets.curve(201).auc()))
        spreads.append(sets.draws(60, rng).auc().std())
    assert 0.6 < np.mean(spreads) / np.std(fresh) < 1.5


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


def test_the_variance_between_clusters_is_what_they_explain():
    """Two points far apart with little around them: nearly all; labels by hand give the rest."""
    rng = np.random.default_rng(9)
    real, fake = rng.normal(size=(60, 2)), rng.normal(size=(40, 2)) + 5
    sets = quantise(real, fake, clusters=3, runs=1)
    both, labels = np.concatenate([real, fake]), np.concatenate([sets.real_labels[0], sets.fake_labels[0]])
    within = sum(np.square(both[labels == c] - both[labels == c].mean(0)).sum() for c in range(3))
    total = np.square(both - both.mean(0)).sum()
    assert sets.explained == pytest.approx(1 - within / total, abs=0.02)
    assert quantise(np.ones((30, 2)), np.ones((30, 2)), clusters=2, runs=1).explained == 1.0
