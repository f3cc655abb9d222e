"""The Inception Score: closed forms, splits, the marginal of the generated set, its limit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import entropy

from trainables.measures.inception_score import inception_score, inception_score_limit


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


def test_the_limit_is_the_jackknife_of_the_logarithm():
    """Every sample left out in turn, by hand."""
    logits = 2 * np.random.default_rng(1).normal(size=(40, 4))
    n, whole = len(logits), np.log(inception_score(logits, 1)[0])
    without = np.array([np.log(inception_score(np.delete(logits, i, axis=0), 1)[0]) for i in range(n)])
    found = inception_score_limit(logits)
    assert found.value == pytest.approx(n * whole - (n - 1) * without.mean(), rel=1e-9)
    assert found.value - found.bias == pytest.approx(whole, rel=1e-9)
    assert found.error == pytest.approx(np.sqrt((n - 1) * without.var()), rel=1e-9)


def test_the_limit_of_small_sets_is_the_score_of_a_large_one():
    rng = np.random.default_rng(2)
    large = np.log(inception_score(3 * rng.normal(size=(20_000, 10)), 1)[0])
    small = [inception_score_limit(3 * rng.normal(size=(100, 10))) for _ in range(60)]
    plain = np.mean([limit.value - limit.bias for limit in small])
    assert np.mean([limit.value for limit in small]) == pytest.approx(large, abs=0.02)
    assert plain < large - 0.02
    assert np.mean([limit.error for limit in small]) == pytest.approx(
        np.std([limit.value for limit in small]), rel=0.35
    )


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="at least 2 classes"):
        inception_score(np.zeros((5, 1)))
    with pytest.raises(ValueError, match="splits must lie"):
        inception_score(np.zeros((5, 2)), 6)
    with pytest.raises(ValueError, match="at least 2 samples, got 1"):
        inception_score_limit(np.zeros((1, 3)))
