"""The Inception Score: closed forms, splits, the marginal of the generated set, bootstrap."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import entropy

from trainables.measures.inception_score import inception_score, inception_score_draws


def test_matches_scipy_per_split():
    logits = np.random.default_rng(0).normal(size=(103, 7)) * 2
    p = softmax(logits, axis=1)
    expected = []
    for part in np.array_split(p, 4):
        expected.append(np.exp(np.mean([entropy(row, part.mean(0)) for row in part])))
    mean, std = inception_score(logits, splits=4)
    assert mean == pytest.approx(np.mean(expected), rel=1e-9)
    assert std == pytest.approx(np.std(expected), rel=1e-6)


def test_extremes():
    """Sure and evenly spread: the number of classes. All alike, sure or unsure: 1."""
    sure = np.eye(5)[np.arange(50) % 5] * 200.0
    assert inception_score(sure, 10)[0] == pytest.approx(5.0)
    assert inception_score(np.tile([200.0, 0, 0], (20, 1)), 2)[0] == pytest.approx(1.0)
    assert inception_score(np.zeros((20, 3)), 2)[0] == pytest.approx(1.0)


def test_splits_change_the_score_when_samples_are_sorted():
    sorted_classes = np.repeat(np.eye(5), 10, axis=0) * 200.0
    assert inception_score(sorted_classes, 5)[0] == pytest.approx(1.0)
    assert inception_score(sorted_classes, 1)[0] == pytest.approx(5.0)


def test_draws_scatter_as_fresh_samples_do():
    rng = np.random.default_rng(1)
    fresh = [inception_score(2 * rng.normal(size=(300, 4)), 1)[0] for _ in range(150)]
    draws = inception_score_draws(2 * rng.normal(size=(300, 4)), 1, 300, rng)
    assert draws.std() == pytest.approx(np.std(fresh), rel=0.3)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="at least 2 classes"):
        inception_score(np.zeros((5, 1)))
    with pytest.raises(ValueError, match="splits must lie"):
        inception_score(np.zeros((5, 2)), 6)
