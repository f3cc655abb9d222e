"""Classifier curves: brute-force thresholds, held-out honesty, orientation, any scikit-learn classifier."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from trainables.measures.classifier_curve import HeldOut, choose_thresholds, classifier_scores
from trainables.precision_recall import equiangular_grid

LAM = equiangular_grid(41).numpy()
SCORES = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=25)


@given(SCORES, SCORES)
@settings(max_examples=150)
def test_thresholds_are_optimal(real, fake):
    """One cumulative sum and a hull against every threshold tried in turn, with ties."""
    real, fake = np.array(real), np.array(fake)
    edges = choose_thresholds(real, fake, LAM)
    tried = np.append(np.unique(np.concatenate([real, fake])), np.inf)
    objective = np.array([LAM * (real < t).mean() + (fake >= t).mean() for t in tried])
    chosen = np.array(
        [lam * (real < t).mean() + (fake >= t).mean() for lam, t in zip(LAM, edges, strict=True)]
    )
    np.testing.assert_allclose(chosen, objective.min(axis=0), atol=1e-12)


def test_known_gaussians():
    """N(0,1) against N(1,1): α_λ in closed form, from logits or any rising function of them."""
    rng = np.random.default_rng(0)
    real, fake = rng.normal(size=40_000), rng.normal(size=40_000) + 1
    lam = equiangular_grid(201).numpy()
    cut = 0.5 + np.log(lam)  # λp < q where x > ½ + log λ
    exact = lam * norm.sf(cut) + norm.cdf(cut - 1)
    curve = HeldOut(-(real**3), -(fake**3)).curve(201)
    np.testing.assert_allclose(curve.precision, exact, atol=0.012)


def test_reporting_where_thresholds_were_chosen_is_biased_down():
    """Scores that know nothing: the truth is min(1, λ); the same-half minimum falls below it, ours does not."""
    rng = np.random.default_rng(1)
    lam = np.array([1.0])
    naive, ours = [], []
    for _ in range(200):
        real, fake = rng.normal(size=60), rng.normal(size=60)
        t = choose_thresholds(real, fake, lam)[0]
        naive.append((real < t).mean() + (fake >= t).mean())
        curve = HeldOut(real, fake).curve(3)
        ours.append(curve.precision[1])
    assert np.mean(naive) < 0.90
    assert np.mean(ours) > 0.95


@pytest.mark.parametrize("name", ["default", "forest", "bayes"])
def test_no_swap_passes(name):
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.naive_bayes import GaussianNB

    classifier = {
        "default": "ensemble",
        "forest": RandomForestClassifier(20, max_depth=4, random_state=0),
        "bayes": GaussianNB(),
    }[name]
    rng = np.random.default_rng(2)
    both = np.concatenate([rng.normal(size=(600, 3)), rng.normal(size=(600, 3)) + 8])
    one = rng.normal(size=(1000, 3)) + 8
    dropped = classifier_scores(both, one, classifier).curve()
    assert dropped.f_max(1 / 8) > 0.93
    assert dropped.f_max(8) < 0.6
    added = classifier_scores(one, both, classifier).curve()
    assert added.f_max(8) > 0.93
    assert added.f_max(1 / 8) < 0.6


def test_identical_laws_and_far_apart_ones():
    rng = np.random.default_rng(3)
    same = classifier_scores(rng.normal(size=(2000, 5)), rng.normal(size=(1500, 5))).curve()
    assert float(same.auc()) > 0.93
    apart = classifier_scores(rng.normal(size=(300, 5)), rng.normal(size=(300, 5)) + 50).curve()
    assert float(apart.auc()) < 0.01


def test_too_few_samples():
    with pytest.raises(ValueError, match="at least 8 samples"):
        classifier_scores(np.zeros((7, 2)), np.zeros((20, 2)))


@pytest.mark.parametrize(("unit", "offset"), [(1e25, 0.0), (1e-30, 0.0), (2.0**-10, 1e6)])
def test_unit_and_offset_of_the_features_do_not_matter(unit, offset):
    rng = np.random.default_rng(6)
    real, fake = rng.normal(size=(200, 3)), rng.normal(size=(150, 3)) + 1
    plain, moved = (
        classifier_scores(real * u + o, fake * u + o).curve(101) for u, o in ((1.0, 0.0), (unit, offset))
    )
    assert 0.1 < float(plain.auc()) < 0.9
    assert float(moved.auc()) == pytest.approx(float(plain.auc()), abs=0.02)
