"""The table of isotropic Gaussians in small: its truth is true, and what the page says of the two k-means holds."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.isotropic_curves import LAWS, WAYS, Found, Law, compared, exact_curve, lines


@pytest.mark.parametrize(
    ("law", "d"), [(Law("wide", scale=1.5), 3), (Law("wide", scale=2.0), 8), (LAWS[3], 5)]
)
def test_the_exact_curve_is_that_of_many_samples(law: Law, d: int) -> None:
    """α_λ = E_q min(λp/q, 1), averaged over samples of q."""
    rng = np.random.default_rng(0)
    x = law.scale * rng.normal(size=(200_000, d))
    x[:, 0] += law.shift
    moved = x - law.shift * np.eye(d)[0]
    log_p = -np.square(x).sum(axis=1) / 2
    log_q = -np.square(moved / law.scale).sum(axis=1) / 2 - d * np.log(law.scale)
    curve = exact_curve(law, d, points=21)
    found = [np.minimum(lam * np.exp(log_p - log_q), 1).mean() for lam in curve.lam]
    np.testing.assert_allclose(curve.precision, found, atol=0.005)


def test_one_law_has_the_whole_square() -> None:
    curve = exact_curve(LAWS[0], 100)
    assert float(curve.auc()) == pytest.approx(1.0, abs=1e-3)
    assert float(curve.f_max(8.0)) == pytest.approx(1.0, abs=1e-6)


def test_unequal_clusters_part_sets_by_width_and_equal_ones_by_direction() -> None:
    """Mini-batches end with one large cluster around the mean and many tiny ones; ours has less inertia without it."""
    same = compared(LAWS[0], 300, 400, runs=2)
    assert same["ours"].inertia < same["mini-batch"].inertia
    assert max(same["ours"].largest) < 0.2 < max(same["mini-batch"].largest)
    assert same["ours"].tiny < same["mini-batch"].tiny
    wide = compared(LAWS[2], 4000, 64, runs=2)
    real, fake = wide["mini-batch"].largest
    assert real > 1.5 * fake  # the large cluster around the mean holds the narrow set
    exact = exact_curve(LAWS[2], 64)
    for found in wide.values():  # twenty cells cannot show what is apart within them
        assert float(found.curve.f_max(1 / 8)) > float(exact.f_max(1 / 8)) + 0.3
    assert float(wide["ours"].curve.auc()) > float(wide["mini-batch"].curve.auc())


def test_three_rows_for_every_case() -> None:
    table = lines([(LAWS[1], 40, 4), (LAWS[3], 40, 4)], runs=1)
    assert len(table) == 2 + 2 * 3
    assert [row.split("|")[4].strip() for row in table[2:]] == ["truth", "mini-batch", "ours"] * 2
    assert len({row.count("|") for row in table}) == 1


def test_clusters_that_are_there_are_found_by_both() -> None:
    """Ten classes, of which the model makes five: precision 1 and recall ½, whoever clusters."""
    rng = np.random.default_rng(0)
    centres = 30 * np.eye(10, 18)
    real, fake = (centres[np.arange(1000) % k] + rng.normal(size=(1000, 18)) for k in (10, 5))
    x = np.concatenate([real, fake]).astype(np.float32)
    for cluster in WAYS.values():
        curve = Found.of(x, 1000, *cluster(x, 3)).curve
        assert float(curve.f_max(8.0)) == pytest.approx(0.504, abs=0.02)
        assert float(curve.f_max(1 / 8)) == pytest.approx(0.985, abs=0.04)
        assert float(curve.auc()) == pytest.approx(0.5, abs=0.03)
