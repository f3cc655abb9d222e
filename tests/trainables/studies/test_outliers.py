"""The samples give every number the thesis prints with its figure 3.12, and would not without their outliers."""

from __future__ import annotations

import pytest
import torch

from trainables.measures import ball_counts, knn_radii, precision_recall_density_coverage
from trainables.studies.outliers import NEIGHBOURS, outliers


def test_the_scores_are_the_printed_ones():
    sets = outliers()
    counts = ball_counts(sets.real, sets.fake, NEIGHBOURS)
    assert sorted(counts.real_balls_around_fake.tolist()) == [0, 1, 1, 1, 1, 1, 2, 2, 3]
    scores = counts.scores()
    assert 9 * scores.precision == pytest.approx(8)
    assert 9 * scores.recall == pytest.approx(7)
    assert 9 * scores.density == pytest.approx(4)
    assert 9 * scores.coverage == pytest.approx(3)
    strict = precision_recall_density_coverage(sets.real, sets.fake, NEIGHBOURS, strict=True)
    assert strict == scores  # no sample lies on the edge of a ball


@pytest.mark.parametrize("name", ["real", "fake"])
def test_the_last_of_each_set_is_an_outlier(name):
    points = getattr(outliers(), name)
    assert points.shape == (9, 2)
    radii = knn_radii(points, NEIGHBOURS)
    assert int(radii.argmax()) == 8
    assert float(radii[8]) > 1.5 * float(radii[:8].max())


def test_without_the_outliers_precision_and_recall_fall_most():
    sets = outliers()
    with_them = precision_recall_density_coverage(sets.real, sets.fake, NEIGHBOURS)
    without = precision_recall_density_coverage(sets.real[:-1], sets.fake[:-1], NEIGHBOURS)
    assert with_them.precision - without.precision > 0.4
    assert with_them.precision - without.precision > abs(with_them.density - without.density)
    assert with_them.recall - without.recall > abs(with_them.coverage - without.coverage)


def test_no_sample_is_close_to_the_edge_of_a_ball():
    sets = outliers()
    distances = torch.cdist(sets.real, sets.fake)
    edges = knn_radii(sets.real, NEIGHBOURS)[:, None], knn_radii(sets.fake, NEIGHBOURS)[None, :]
    assert min(float((distances - edge).abs().min()) for edge in edges) > 0.1
