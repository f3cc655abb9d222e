"""Frontiers of two sample sets: from cluster histograms, and from calibrated density ratios."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from trainables.measures.classifier_curve import HeldOut
from trainables.measures.frontier import (
    calibrated_frontier,
    calibrated_histograms,
    calibrated_log_ratio,
    quantised_frontier,
    ratio_frontier,
    tilts,
    walk,
)
from trainables.measures.prd import Quantised
from trainables.precision_recall import equiangular_grid, frontier_gaussian, renyi_gaussian


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


def test_a_walk_goes_from_p_to_q():
    found = walk(5)
    assert (found[0], found[-1]) == pytest.approx((1e-9, 1e9))
    assert found[2] == pytest.approx(1.0)
    counts = np.repeat(np.arange(2), (30, 10))[None], np.repeat(np.arange(2), (10, 30))[None]
    assert len(walk(101)) == len(quantised_frontier(Quantised(*counts, 2), points=101).tilt) == 101
    ends = calibrated_frontier(HeldOut(np.arange(9.0), np.arange(9.0) - 3), 2.0, "exclusive")
    assert (ends.to_real[0], ends.to_model[-1]) == (pytest.approx(0, abs=1e-6), pytest.approx(0, abs=1e-6))


def of_width(n, sigma, seed):
    """Scores that order the ratio of N(0, 1) to N(0, σ²): real samples are those near 0."""
    rng = np.random.default_rng(seed)
    return HeldOut(-np.abs(rng.normal(size=n)), -sigma * np.abs(rng.normal(size=n)))


def of_shift(n, delta, seed):
    rng = np.random.default_rng(seed)
    return HeldOut(-rng.normal(size=n), -delta - rng.normal(size=n))


N, SEEDS = 20_000, range(3)
"""A mean over N samples errs by its deviation/√N: log p/q here by 1 to 2, so by 0.014 at most, and three times as many
samples by 0.008. Bins that are found on the samples themselves add about N^(-2/3), 0.002, several times."""


@pytest.mark.parametrize("kind", ["exclusive", "inclusive"])
@pytest.mark.parametrize("order", [0.5, 1.0, 2.0])
def test_the_ends_are_the_renyi_divergences_of_shifted_gaussians(order, kind):
    """D_α(N(0, 1)‖N(1, 1)) = α/2, either way; twice that spread at α = 2, whose mean rests on the tails."""
    zero, one = torch.zeros(1, dtype=torch.float64), torch.ones(1, dtype=torch.float64)
    exact = float(renyi_gaussian(zero, one, one, one, order))
    ends = [(f.to_model[0], f.to_real[-1]) for f in (frontier_of_shift(order, kind, seed) for seed in SEEDS)]
    assert exact == pytest.approx(order / 2)
    assert np.mean(ends, axis=0) == pytest.approx(exact, abs=0.025 * max(order, 1) ** 2)


def frontier_of_shift(order, kind, seed):
    return calibrated_frontier(of_shift(N, 1.0, seed), order, kind)


@pytest.mark.parametrize("law", ["shift", "width"])
def test_the_exclusive_frontier_of_gaussians_is_the_closed_form(law):
    """α = 1: R is a Gaussian whose natural parameters lie between those of P and Q."""
    mean, var, scores = ([1.0], [[1.0]], of_shift) if law == "shift" else ([0.0], [[4.0]], of_width)
    found = [
        calibrated_frontier(scores(N, 1.0 if law == "shift" else 2.0, s), 1.0, "exclusive") for s in SEEDS
    ]
    exact = frontier_gaussian([0.0], [[1.0]], mean, var, "exclusive", found[0].tilt)
    for axis in ("to_model", "to_real"):
        middle = np.mean([getattr(one, axis) for one in found], axis=0)
        np.testing.assert_allclose(middle, getattr(exact, axis), atol=0.03)
    assert np.mean([one.area() for one in found]) == pytest.approx(exact.area(), abs=0.01)


def test_the_inclusive_frontier_is_no_worse_than_one_whose_middle_is_a_gaussian():
    found = calibrated_frontier(of_shift(N, 2.0, 1), 1.0, "inclusive")
    worse = frontier_gaussian([0.0], [[1.0]], [2.0], [[1.0]], "inclusive", found.tilt)
    assert found.area() > worse.area() + 0.01


def test_laws_that_agree_have_the_whole_square_and_disjoint_ones_nothing_but_mixtures():
    rng = np.random.default_rng(0)
    for kind, nothing in (("exclusive", 0.0), ("inclusive", 0.5)):
        same = calibrated_frontier(HeldOut(rng.normal(size=2000), rng.normal(size=1500)), 1.0, kind)
        assert same.area() > 0.995
        apart = calibrated_frontier(HeldOut(10 + rng.normal(size=2000), rng.normal(size=1500)), 1.0, kind)
        # One bin for either set, half a sample of the other in it: KL is log 2000 or so, and e^-KL vanishes.
        assert nothing < apart.area() < nothing + 0.02
        assert apart.to_model[0] == pytest.approx(np.log(2 * 1500 + 1), rel=0.1)
        assert apart.to_real[-1] == pytest.approx(np.log(2 * 2000 + 1), rel=0.1)


def test_scores_that_know_nothing_have_one_bin():
    found = calibrated_histograms(HeldOut(np.zeros(30), np.zeros(20)))
    assert [counts.tolist() for counts in found] == [[30], [20]]
    for kind in ("exclusive", "inclusive"):
        assert calibrated_frontier(HeldOut(np.zeros(30), np.zeros(20)), 1.0, kind).area() == pytest.approx(
            1.0
        )


def test_bins_hold_all_samples_and_shares_rise():
    scores = of_shift(500, 1.0, 7)
    real, fake = calibrated_histograms(scores)
    assert (real.sum(), fake.sum()) == (500, 500)
    shares = real / (real + fake)
    assert (np.diff(shares) > 0).all()
    assert 3 < len(shares) < 60  # about 500^(1/3), times a few


def test_what_is_added_keeps_single_samples_from_standing_for_large_ratios():
    """Where laws agree ends are biased up by log n / n or so, and far more with ratios of unmixed bins as they are."""
    rng = np.random.default_rng(1)
    sets = [HeldOut(rng.normal(size=250), rng.normal(size=250)) for _ in range(15)]
    smoothed = np.mean([calibrated_frontier(one).to_model[0] for one in sets])
    plain = np.mean([ratio_frontier(one, 1.0, "inclusive", 2001).to_model[0] for one in sets])
    assert smoothed < 0.03
    assert plain > 1.3 * smoothed
