"""Frontiers of two sample sets: from cluster histograms, and from calibrated density ratios."""

from __future__ import annotations

import numpy as np
import pytest

from trainables.measures.classifier_curve import HeldOut
from trainables.measures.frontier import calibrated_log_ratio, quantised_frontier, ratio_frontier, tilts
from trainables.measures.prd import Quantised
from trainables.precision_recall import equiangular_grid


def test_quantised_frontier_ends_on_the_divergences():
    """Inclusive α=1: near P the loss of precision is KL(Q‖P), near Q the loss of recall is KL(P‖Q)."""
    p, q = (np.repeat(np.arange(3), counts)[None] for counts in ([600, 300, 100], [200, 300, 500]))
    sets = Quantised(p, q, 3)
    p, q = ((c[0] + 0.5) / (c[0] + 0.5).sum() for c in (sets.real, sets.fake))
    found = quantised_frontier(sets, 1.0, "inclusive", 2001)
    assert found.to_model[0] == pytest.approx((q * np.log(q / p)).sum(), rel=0.02)
    assert found.to_real[-1] == pytest.approx((p * np.log(p / q)).sum(), rel=0.02)


def test_ratios_are_calibrated_and_give_the_frontier():
    """N(0,1) against N(1,1): log p/q = ½ - x, known only through a rising distortion of it."""
    rng = np.random.default_rng(3)
    real, fake = rng.normal(size=20_000), rng.normal(size=20_000) + 1
    scores = HeldOut(np.tanh(-real / 3), np.tanh(-fake / 3))
    at_real, at_fake = (t.numpy() for t in calibrated_log_ratio(scores))
    middle = np.abs(real) < 1.5
    assert np.abs(at_real - (0.5 - real))[middle].mean() < 0.1
    assert np.abs(at_fake - (0.5 - fake))[np.abs(fake) < 1.5].mean() < 0.1
    found = ratio_frontier(scores, 1.0, "inclusive", 2001)
    assert found.to_real[-1] == pytest.approx(0.5, abs=0.05)  # KL of the two Gaussians
    assert found.to_model[0] == pytest.approx(0.5, abs=0.05)


def test_the_tilts_are_the_equiangular_grid():
    np.testing.assert_allclose(tilts(101), equiangular_grid(101).numpy(), rtol=1e-12)


def test_clusters_that_miss_one_set_keep_the_frontier_finite():
    sets = Quantised(np.array([[0] * 20]), np.array([[1] * 30]), 2)
    for kind in ("exclusive", "inclusive"):
        found = quantised_frontier(sets, 2.0, kind, 21)
        assert np.isfinite(found.to_model).all()
        assert np.isfinite(found.to_real).all()
        assert (found.order, found.kind) == (2.0, kind)


def test_scores_that_part_the_sets_stay_half_a_sample_from_certainty():
    at_real, at_fake = calibrated_log_ratio(HeldOut(np.arange(5.0) + 10, np.arange(3.0)))
    limit = np.log((1 - 0.5 / 8) / (0.5 / 8))
    assert at_real.tolist() == pytest.approx([limit] * 5)
    assert at_fake.tolist() == pytest.approx([-limit] * 3)
