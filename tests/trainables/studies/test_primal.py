"""A critic trained for g reads D_λ off within the bound of theorem 5.2.4, and nearer the longer it is trained."""

from __future__ import annotations

from functools import cache

import pytest
import torch

from trainables.divergences import DIVERGENCES
from trainables.studies import PrimalStudy, primal_study, random_mixtures


@cache
def study(name: str, steps: int = 60, samples: int = 2048) -> PrimalStudy:
    return primal_study(DIVERGENCES[name], pairs=3, samples=samples, steps=steps)


@pytest.mark.parametrize("name", ["chi2", "kl"])
def test_the_bound_holds_and_the_gap_is_not_negative(name):
    found = study(name)
    assert found.truth.shape == found.estimate.shape == found.bound.shape == (3, 3)
    assert (found.gap >= 0).all()
    assert (found.error <= found.bound).all()
    assert (found.error > 0).all()


def test_the_bound_of_chi2_has_the_convexity_of_the_whole_half_line():
    found = study("chi2")
    expected = found.lambdas * (2 * found.gap[:, None] / 2.0).sqrt()
    torch.testing.assert_close(found.bound, expected)


@pytest.mark.parametrize("name", ["chi2", "kl"])
def test_training_narrows_the_gap_and_the_error(name):
    short, long = study(name, steps=1), study(name)
    assert (long.gap < short.gap).all()
    assert float(long.error.mean()) < 0.5 * float(short.error.mean())


def test_the_truth_does_not_depend_on_the_critic():
    torch.testing.assert_close(study("kl").truth, study("chi2").truth)
    assert (study("kl").truth[:, 1] > study("kl").truth[:, 0]).all()  # D_λ is largest at λ = 1


def test_mixtures_are_random_and_repeatable():
    one, two = (random_mixtures(2, torch.Generator().manual_seed(seed)) for seed in (0, 1))
    again = random_mixtures(2, torch.Generator().manual_seed(0))
    assert torch.equal(one[0].means, again[0].means)
    assert not torch.equal(one[0].means, two[0].means)
    assert float(one[1].weights.sum()) == pytest.approx(1.0)
