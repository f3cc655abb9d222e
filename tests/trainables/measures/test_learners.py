"""Classifiers by name: held-out curves of known Gaussians, units and offsets, copies, a seed, unknown names."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.stats import norm

from trainables.measures.classifier_curve import classifier_scores
from trainables.measures.learners import LEARNERS, learner_named
from trainables.metrics import learners
from trainables.precision_recall import equiangular_grid

every = pytest.mark.parametrize("name", LEARNERS)
LAM = equiangular_grid(1001).numpy()
NOISE = 0.03
"""Of the area of a curve of 1,500 held-out samples a side: its α_λ err by √(¼/1500) = 0.013, some by twice that."""


def gaussians(n: int, d: int, shift: float, scale: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    real, fake = rng.normal(size=(n, d)), scale * rng.normal(size=(n, d))
    fake[:, 0] += shift
    return real, fake


def area(precision: np.ndarray) -> float:
    """½∫β²dλ with β = α/λ, by the angle: ½∫α²/sin²θ dθ."""
    angle = np.arctan(LAM)
    return float(np.trapezoid(precision**2 / np.sin(angle) ** 2, angle)) / 2


def test_names_are_those_that_are_known_without_torch() -> None:
    assert tuple(LEARNERS) == learners.LEARNERS


@every
def test_a_shift_is_seen_by_all_and_no_curve_lies_below_the_truth(name: str) -> None:
    """N(0, I) against N(1.5 e₁, I): α_λ = λ P(x > c) + Q(x < c) with c = ¾ + log λ/1.5."""
    cut = 0.75 + np.log(LAM) / 1.5
    exact = area(LAM * norm.sf(cut) + norm.cdf(cut - 1.5))
    found = float(classifier_scores(*gaussians(3000, 3, 1.5, 1.0), name).curve().auc())
    assert exact - NOISE < found < exact + NOISE + 0.03


@every
def test_a_width_is_seen_by_those_that_are_not_linear(name: str) -> None:
    """N(0, I) against N(0, 9I) in the plane: log p/q = log 9 - (4/9)‖x‖², and ‖x‖² is exponential under both."""
    cut = np.maximum((np.log(9 * LAM)) * 9 / 4, 0)  # λp < q where ‖x‖² > cut
    exact = area(LAM * np.exp(-cut / 2) + 1 - np.exp(-cut / 18))
    found = float(classifier_scores(*gaussians(3000, 2, 0.0, 3.0), name).curve().auc())
    assert found > exact - NOISE
    if name in ("mlp", "knn"):
        assert found < exact + NOISE + 0.02
    else:
        assert found > exact + 0.2


@every
def test_laws_that_agree_fill_the_square_and_disjoint_ones_leave_it_empty(name: str) -> None:
    alike = classifier_scores(*gaussians(1000, 5, 0.0, 1.0), name).curve()
    assert float(alike.auc()) > 0.95
    apart = classifier_scores(*gaussians(300, 5, 50.0, 1.0), name).curve()
    assert float(apart.auc()) < 0.01


@every
def test_the_very_same_samples_on_both_sides_fill_the_square(name: str) -> None:
    real, _ = gaussians(400, 3, 0.0, 1.0)
    assert float(classifier_scores(real, real, name).curve().auc()) > 0.9


@every
@pytest.mark.parametrize(("unit", "offset"), [(1e25, 0.0), (1e-30, 0.0), (2.0**-10, 1e6)])
def test_unit_and_offset_of_the_features_do_not_matter(name: str, unit: float, offset: float) -> None:
    real, fake = gaussians(200, 3, 1.0, 1.0)
    plain, moved = (
        classifier_scores(real * u + o, fake * u + o, name).curve(101)
        for u, o in ((1.0, 0.0), (unit, offset))
    )
    assert 0.1 < float(plain.auc()) < 0.95
    assert float(moved.auc()) == pytest.approx(float(plain.auc()), abs=0.02)


@every
def test_a_seed_repeats_the_scores(name: str) -> None:
    sets = gaussians(60, 2, 0.5, 1.0)
    first, again = (classifier_scores(*sets, name, seed=3) for _ in range(2))
    assert np.array_equal(first.real, again.real)
    assert np.array_equal(first.fake, again.fake)


@every
def test_eight_samples_and_unequal_numbers_are_enough(name: str) -> None:
    rng = np.random.default_rng(5)
    for n, m in ((8, 8), (8, 300), (300, 8)):
        scores = classifier_scores(rng.normal(size=(n, 2)), rng.normal(size=(m, 2)), name)
        assert (len(scores.real), len(scores.fake)) == (n - n // 2, m - m // 2)
        assert np.isfinite(np.concatenate([scores.real, scores.fake])).all()


def test_the_share_of_neighbours_is_counted() -> None:
    x = torch.cat([torch.arange(8.0), torch.arange(100.0, 108.0)])[:, None]
    labels = torch.cat([torch.ones(8), torch.zeros(8)])
    score = learner_named("knn")(x, labels, 0, None)
    assert score(torch.tensor([[3.0], [104.0], [7.0]])).tolist() == [1.0, 0.0, 1.0]


def test_unknown_names_are_told_with_those_that_are_known() -> None:
    with pytest.raises(ValueError, match="must be one of ensemble, logistic, mlp, knn, got 'svm'"):
        classifier_scores(np.zeros((9, 2)), np.zeros((9, 2)), "svm")
