"""The naive PR-GAN falls silent while PR-GAN goes on learning; both in one small pack."""

from __future__ import annotations

import pytest
import torch

from trainables.studies.naive_pr import naive_study


def test_the_naive_gradient_dies_and_the_other_does_not() -> None:
    found = naive_study((1.0,), iterations=200, looks=4, samples=500)
    assert found.iterations == [50, 100, 150, 200]
    for course in (found.naive, found.proposed):
        assert course.gradient.shape == course.near.shape == course.modes.shape == (4, 1)
        assert course.points.shape == (1, 500, 2)
        assert bool(
            ((course.near >= 0) & (course.near <= 1) & (course.modes >= 0) & (course.modes <= 1)).all()
        )
    assert float(found.naive.gradient[0]) > 0.05
    assert float(found.naive.gradient[-1]) < 0.01
    assert float(found.proposed.gradient[-1]) > 0.1
    assert float(found.proposed.modes[-1]) > float(found.naive.modes[-1])


def test_it_is_pure_in_its_seed_and_lam_is_its_own() -> None:
    one = naive_study((0.5, 2.0), iterations=6, looks=2, batch=16, samples=50)
    again = naive_study((0.5, 2.0), iterations=6, looks=2, batch=16, samples=50)
    assert torch.equal(one.naive.points, again.naive.points)
    assert not torch.equal(one.naive.points[0], one.naive.points[1])
    other = naive_study((0.5, 2.0), iterations=6, looks=2, batch=16, samples=50, seed=1)
    assert not torch.equal(one.proposed.points, other.proposed.points)


def test_more_looks_than_iterations_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^looks must lie from 1 to 5, the iterations, got 6$"):
        naive_study(iterations=5, looks=6)
