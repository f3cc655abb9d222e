"""Intervals of shares, mode measures for labels, frontiers of samples."""

from __future__ import annotations

import numpy as np
import pytest

from trainables.measures.bootstrap import estimate, mean_draws, weight_draws
from trainables.measures.classes import class_scores, per_class_scores
from trainables.measures.classifier_curve import HeldOut
from trainables.measures.frontier import calibrated_log_ratio, quantised_frontier, ratio_frontier
from trainables.measures.knn.neighbours import ball_counts
from trainables.measures.prd import Quantised


@pytest.mark.parametrize("kind", ["share", "continuous"])
def test_bootstrap_of_a_mean_has_its_standard_error(kind):
    rng = np.random.default_rng(0)
    values = rng.random(9000) < 0.3 if kind == "share" else rng.normal(size=9000)
    draws = mean_draws(values, 400, rng)
    assert draws.mean() == pytest.approx(values.mean(), abs=5e-4 + values.std() / 600)
    assert draws.std() == pytest.approx(values.std() / np.sqrt(9000), rel=0.15)
    found = estimate(float(values.mean()), draws)
    assert found.high - found.low == pytest.approx(3.92 * values.std() / np.sqrt(9000), rel=0.2)


def test_weights_are_a_resample():
    rng = np.random.default_rng(1)
    weights = np.concatenate(list(weight_draws(50, 30, rng)))
    assert weights.shape == (30, 50)
    assert (weights.sum(axis=1) == 50).all()


def test_interval_level_is_checked():
    with pytest.raises(ValueError, match=r"\(0, 1\)"):
        estimate(0.0, np.zeros(3), 1.0)


def test_modes():
    scores = class_scores(np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 0, 1]))
    assert (scores.covered, scores.classes) == (2, 3)
    assert scores.distance == pytest.approx(0.5 * (abs(1 / 3 - 0.75) + abs(1 / 3 - 0.25) + 1 / 3))
    assert class_scores(np.array([0, 1]), np.array([0] * 99 + [1]), least=0.1).covered == 1
    with pytest.raises(ValueError, match="empty"):
        class_scores(np.array([], dtype=int), np.array([1]))


def test_per_class_scores_average_to_the_whole():
    rng = np.random.default_rng(2)
    real_labels, fake_labels = rng.integers(3, size=300), rng.integers(3, size=200)
    real = 10.0 * real_labels[:, None] + rng.normal(size=(300, 2))
    fake = (
        10.0 * fake_labels[:, None] + rng.normal(size=(200, 2)) * np.where(fake_labels == 2, 0.01, 1)[:, None]
    )
    counts = ball_counts(real, fake, 3)
    precision, recall = per_class_scores(counts, real_labels, fake_labels)
    whole = counts.scores()
    assert (precision * np.bincount(fake_labels) / 200).sum() == pytest.approx(whole.precision)
    assert (recall * np.bincount(real_labels) / 300).sum() == pytest.approx(whole.recall)
    assert recall[2] < 0.2 < recall[0]  # the collapsed class is recalled badly, the others are not
    with pytest.raises(ValueError, match="one label per sample"):
        per_class_scores(counts, fake_labels, real_labels)


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
