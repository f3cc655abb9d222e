"""Witnesses are those in nobody's ball: their share is what precision and recall lack, the worst come first."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from trainables.evaluation.findings import Witnesses
from trainables.evaluation.witnesses import CEILING, MOST, find_witnesses, spread
from trainables.measures.knn.neighbours import ball_counts, knn_radii


def found(real: Tensor, fake: Tensor, k: int = 3) -> Witnesses:
    radii = knn_radii(real, k)
    return find_witnesses(
        real, fake, radii, ball_counts(real, fake, k, radii), (real, fake), (0.0, 1.0), "identity"
    )


def cloud(seed: int, n: int, d: int = 2) -> Tensor:
    return torch.randn(n, d, generator=torch.Generator().manual_seed(seed))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), shift=st.floats(0, 5), d=st.sampled_from([1, 2, 5, 40]))
def test_shares_are_what_precision_and_recall_lack(seed: int, shift: float, d: int) -> None:
    real, fake = cloud(seed, 60, d), cloud(seed + 1, 50, d) + shift
    witnesses, scores = found(real, fake), ball_counts(real, fake, 3).scores()
    assert witnesses.outside.share == pytest.approx(1 - scores.precision)
    assert witnesses.missed.share == pytest.approx(1 - scores.recall)
    for side, points in ((witnesses.outside, fake), (witnesses.missed, real)):
        assert len(side.samples) == len(side.excess) == min(MOST, round(side.share * len(points)))
        assert (side.excess > 1 - 1e-4).all(), "outside of the ball of the nearest"
        assert np.all(np.diff(side.excess) <= 1e-12), "the worst first"
        known = {tuple(point) for point in points.tolist()}
        assert {tuple(point) for point in side.samples.tolist()} <= known


def test_the_worst_sample_is_the_one_far_off() -> None:
    real = cloud(0, 200)
    fake = torch.cat([real[:100] + 1e-3, torch.tensor([[50.0, 50.0], [9.0, 0.0]])])
    outside = found(real, fake).outside
    np.testing.assert_allclose(outside.samples[:2], [[50, 50], [9, 0]])
    near = (fake[100] - real).norm(dim=1).argmin()
    expected = (fake[100] - real[near]).norm() / knn_radii(real, 3)[near]
    assert outside.excess[0] == pytest.approx(float(expected), rel=1e-5)


def test_every_mode_that_is_missed_has_a_witness() -> None:
    centres = torch.tensor([[0.0, 0.0], [100.0, 0.0], [0.0, 100.0], [90.0, 90.0]])
    real = (centres[:, None] + cloud(0, 4 * 50).reshape(4, 50, 2)).flatten(0, 1)
    missed = found(real, cloud(1, 100)).missed
    nearest = np.linalg.norm(missed.samples[:, None] - centres.numpy()[None], axis=2).argmin(axis=1)
    assert set(nearest) >= {1, 2, 3}
    assert missed.share == pytest.approx(0.75, abs=0.1)


def test_samples_that_are_all_one_have_balls_of_no_size() -> None:
    witnesses = found(cloud(0, 40), torch.zeros(40, 2))
    assert witnesses.missed.share == 1.0
    assert witnesses.missed.excess.max() == CEILING
    assert len(witnesses.missed.samples) == MOST


def test_a_perfect_model_has_no_witnesses() -> None:
    witnesses = found(cloud(0, 40), cloud(0, 40))
    assert witnesses.outside.share == witnesses.missed.share == 0.0
    assert witnesses.outside.samples.shape == (0, 2)
    assert len(witnesses.missed.excess) == 0


def test_images_are_kept_as_bytes() -> None:
    real, fake = torch.rand(30, 1, 4, 4), torch.rand(30, 1, 4, 4) + 5
    x, y = real.flatten(1), fake.flatten(1)
    radii = knn_radii(x, 3)
    witnesses = find_witnesses(x, y, radii, ball_counts(x, y, 3, radii), (real, fake), (0.0, 1.0), "pixels")
    assert witnesses.outside.samples.dtype == np.uint8
    assert witnesses.outside.samples.shape == (16, 1, 4, 4)
    assert (witnesses.outside.samples == 255).all(), "all beyond white"
    assert witnesses.features == "pixels"


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 1000), n=st.integers(0, 30), count=st.integers(1, 12))
def test_spread_points_leave_nobody_far_from_one_of_them(seed: int, n: int, count: int) -> None:
    points = cloud(seed, n)
    chosen = spread(points, count)
    assert len(set(chosen.tolist())) == len(chosen) == min(n, count)
    if n <= count:
        return
    assert 0 in chosen, "the worst is among them"
    assert chosen.tolist() == sorted(chosen.tolist()), "in their order"
    between = torch.cdist(points[chosen], points[chosen]) + 1e9 * torch.eye(len(chosen))
    left = torch.cdist(points, points[chosen]).amin(dim=1).max()
    if len(chosen) > 1:
        assert left <= between.min() + 1e-3
