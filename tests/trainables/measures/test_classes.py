"""Mode measures for labels: classes covered, distance of the histograms, scores of each class."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainables.measures.classes import class_scores, normalised_entropy, per_class_scores
from trainables.measures.knn.neighbours import ball_counts


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


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=30), st.lists(st.integers(0, 4), min_size=1, max_size=30)
)
def test_the_histograms_are_shares_and_their_distance_is_total_variation(real, fake):
    scores = class_scores(np.array(real), np.array(fake))
    classes = range(5)
    p, q = ([labels.count(c) / len(labels) for c in classes] for labels in (real, fake))
    assert scores.distance == pytest.approx(sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2)
    assert (scores.covered, scores.classes) == (len(set(real) & set(fake)), len(set(real)))
    for share, expected in ((scores.real_share, p), (scores.fake_share, q)):
        assert share.tolist() == pytest.approx(expected[: len(share)])


def test_a_class_without_samples_has_no_score():
    real, fake = np.array([[0.0], [0.1], [9.0], [9.1]]), np.array([[0.0], [0.1], [0.2]])
    counts = ball_counts(real, fake, 1)
    precision, recall = per_class_scores(counts, np.array([0, 0, 2, 2]), np.array([0, 0, 0]))
    assert precision[0] == 1.0
    assert np.isnan(precision[1:]).all()
    assert np.isnan(recall[1])
    assert recall[[0, 2]].tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("share", "classes", "entropy"), [([1.0], 3, 0.0), ([0.5, 0.5, 0], 2, 1.0), ([1.0], 1, 1.0)]
)
def test_entropy_is_a_part_of_its_greatest(share, classes, entropy):
    assert normalised_entropy(np.array(share), classes) == pytest.approx(entropy)
