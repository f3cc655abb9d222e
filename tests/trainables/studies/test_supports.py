"""Regions of the plane: their areas, samples and common parts, and precision and recall as shares of them."""

from __future__ import annotations

import math

import pytest
import torch

from trainables.measures import precision_recall_density_coverage
from trainables.studies.supports import MODEL_BLOB, REAL_BLOB, Blob, overlap_outline, support_scores


def _shoelace(outline: torch.Tensor) -> float:
    x, y = outline[:, 0], outline[:, 1]
    return abs(float((x[:-1] * y[1:] - x[1:] * y[:-1]).sum())) / 2


@pytest.mark.parametrize("blob", [REAL_BLOB, MODEL_BLOB, Blob((2.0, -1.0), 0.7)])
def test_the_area_is_that_of_the_outline_and_of_the_samples(blob):
    assert _shoelace(blob.boundary(4001)) == pytest.approx(blob.area(), rel=1e-4)
    half = 2 * blob.radius
    x = torch.tensor(blob.centre) + half * (
        2 * torch.rand(200_000, 2, generator=torch.Generator().manual_seed(0)) - 1
    )
    assert float(blob.holds(x.double()).double().mean()) * (2 * half) ** 2 == pytest.approx(
        blob.area(), rel=0.02
    )


def test_samples_lie_inside_and_are_uniform():
    disc = Blob((1.0, 2.0), 3.0)
    x = disc.sample(20_000, seed=0)
    assert x.shape == (20_000, 2)
    assert disc.holds(x).all()
    assert x.mean(0).tolist() == pytest.approx([1.0, 2.0], abs=0.05)
    inner = (x - torch.tensor([1.0, 2.0])).norm(dim=1) <= 1.5
    assert float(inner.double().mean()) == pytest.approx(0.25, abs=0.01)
    assert torch.equal(REAL_BLOB.sample(50, seed=3), REAL_BLOB.sample(50, seed=3))
    assert REAL_BLOB.holds(REAL_BLOB.sample(500, seed=3)).all()


def test_scores_of_two_discs_are_shares_of_their_lens():
    r, s, d = 1.0, 0.8, 0.9
    a = math.acos((d**2 + r**2 - s**2) / (2 * d * r))
    b = math.acos((d**2 + s**2 - r**2) / (2 * d * s))
    lens = r**2 * (a - math.sin(2 * a) / 2) + s**2 * (b - math.sin(2 * b) / 2)
    precision, recall = support_scores(Blob((0.0, 0.0), r), Blob((d, 0.0), s))
    assert precision == pytest.approx(lens / (math.pi * s**2), abs=2e-3)
    assert recall == pytest.approx(lens / (math.pi * r**2), abs=2e-3)


def test_one_region_inside_the_other_and_regions_apart():
    small, large = Blob((0.1, 0.0), 0.5), Blob((0.0, 0.0), 1.0)
    assert support_scores(large, small) == pytest.approx((1.0, 0.25), abs=3e-3)
    assert support_scores(small, large) == pytest.approx((0.25, 1.0), abs=3e-3)
    far = Blob((5.0, 0.0), 1.0)
    assert support_scores(large, far) == (0.0, 0.0)
    with pytest.raises(ValueError, match="no common part"):
        overlap_outline(large, far)


def test_the_common_outline_has_the_area_of_the_common_part():
    precision, recall = support_scores(REAL_BLOB, MODEL_BLOB)
    common = _shoelace(overlap_outline(REAL_BLOB, MODEL_BLOB, 2001))
    assert common == pytest.approx(precision * MODEL_BLOB.area(), rel=5e-3)
    assert common == pytest.approx(recall * REAL_BLOB.area(), rel=5e-3)


def test_many_samples_find_the_shares():
    scores = precision_recall_density_coverage(REAL_BLOB.sample(4000, 0), MODEL_BLOB.sample(4000, 1), 3)
    assert (scores.precision, scores.recall) == pytest.approx(support_scores(REAL_BLOB, MODEL_BLOB), abs=0.03)
