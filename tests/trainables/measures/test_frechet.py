"""The Fréchet distance: parity with pytorch-fid, closed forms, rank deficiency."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trainables.measures.frechet import (
    _congruence,
    _root_trace,
    _root_trace_polar,
    frechet_distance,
    frechet_distances,
    frechet_influence,
    gaussian_statistics,
)


def _reference(m1, c1, m2, c2):
    """tr √(Σ₁Σ₂) from the eigenvalues of the non-symmetric product, in float64."""
    roots = np.sqrt(np.clip(np.linalg.eigvals(c1 @ c2).real, 0, None))
    return ((m1 - m2) ** 2).sum() + np.trace(c1) + np.trace(c2) - 2 * roots.sum()


@pytest.mark.filterwarnings("ignore:The `disp` argument:DeprecationWarning")
@pytest.mark.parametrize(("n", "m", "d"), [(50, 60, 2), (200, 150, 5), (500, 700, 64), (900, 800, 200)])
def test_matches_pytorch_fid(n, m, d):
    from pytorch_fid.fid_score import calculate_frechet_distance

    rng = np.random.default_rng(d)
    x, y = rng.normal(size=(n, d)), 1.3 * rng.normal(size=(m, d)) + 0.2
    ours = frechet_distance(*gaussian_statistics(x), *gaussian_statistics(y))
    stats = [(a.mean(0), np.atleast_2d(np.cov(a, rowvar=False))) for a in (x, y)]
    assert ours == pytest.approx(_reference(*stats[0], *stats[1]), rel=1e-6)
    theirs = calculate_frechet_distance(*stats[0], *stats[1])
    assert ours == pytest.approx(float(theirs), rel=1e-6)


@given(st.floats(-3, 3), st.floats(0.01, 4), st.floats(-3, 3), st.floats(0.01, 4))
@settings(max_examples=30)
def test_one_dimension_closed_form(m1, s1, m2, s2):
    value = frechet_distance(
        *(torch.tensor(v, dtype=torch.float64) for v in ([m1], [[s1**2]], [m2], [[s2**2]]))
    )
    assert value == pytest.approx((m1 - m2) ** 2 + (s1 - s2) ** 2, abs=1e-9)


def test_diagonal_gaussians_closed_form():
    a, b = torch.tensor([1.0, 4.0, 0.0]), torch.tensor([9.0, 1.0, 2.0])
    value = frechet_distance(torch.zeros(3), a.diag(), torch.ones(3), b.diag())
    assert value == pytest.approx(3 + float((a.sqrt() - b.sqrt()).square().sum()), rel=1e-12)


@pytest.mark.parametrize("shared", [False, True])
def test_rank_deficient_is_finite_and_right(shared):
    """Fewer samples than dimensions: both covariances singular, sqrtm's NaN territory."""
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=(20, 100)), rng.normal(size=(15, 100))
    if shared:
        y = x
    value = frechet_distance(*gaussian_statistics(x), *gaussian_statistics(y))
    assert np.isfinite(value)
    if shared:
        assert value == pytest.approx(0.0, abs=1e-6)
    else:
        # tr √(Σ₁Σ₂) is the nuclear norm of X₁X₂ᵀ over √((n-1)(m-1)), a 20×15 problem.
        xc, yc = x - x.mean(0), y - y.mean(0)
        nuclear = np.linalg.svd(xc @ yc.T, compute_uv=False).sum() / np.sqrt(19 * 14)
        traces = (xc**2).sum() / 19 + (yc**2).sum() / 14
        assert value == pytest.approx(((x.mean(0) - y.mean(0)) ** 2).sum() + traces - 2 * nuclear, rel=1e-7)


def test_collapsed_sets():
    """Constant sets have zero covariance: the distance is that of the means."""
    x, y = np.full((10, 4), 1.0), np.full((12, 4), 3.0)
    assert frechet_distance(*gaussian_statistics(x), *gaussian_statistics(y)) == pytest.approx(16.0)


def test_symmetric_in_its_sets():
    rng = np.random.default_rng(8)
    a = gaussian_statistics(rng.normal(size=(60, 10)))
    b = gaussian_statistics(rng.normal(size=(60, 10)) * 2)
    assert frechet_distance(*a, *b) == pytest.approx(frechet_distance(*b, *a), rel=1e-10)


def test_statistics_are_numpys():
    x = np.random.default_rng(9).normal(size=(40, 6)).astype(np.float32) + 100
    mean, covariance = gaussian_statistics(x)
    assert covariance.dtype == torch.float64
    np.testing.assert_allclose(mean, x.astype(np.float64).mean(0), rtol=1e-12)
    np.testing.assert_allclose(covariance, np.cov(x.astype(np.float64), rowvar=False), rtol=1e-9)


def test_bad_input_is_named():
    eye = torch.eye(2)
    with pytest.raises(ValueError, match="share one d"):
        frechet_distance(torch.zeros(2), eye, torch.zeros(3), torch.eye(3))
    with pytest.raises(ValueError, match="finite"):
        frechet_distance(torch.zeros(2), eye * torch.nan, torch.zeros(2), eye)
    with pytest.raises(ValueError, match="at least 2 samples"):
        gaussian_statistics(torch.zeros(1, 3))


@pytest.mark.parametrize(("n", "d"), [(300, 40), (30, 60)])
def test_products_alone_give_the_same_trace(n, d):
    """The CUDA way (polar iteration) against eigenvalues, also when both covariances are singular."""
    rng = np.random.default_rng(n)
    scales = np.logspace(0, -4, d)
    a = gaussian_statistics(rng.normal(size=(n, d)) * scales)[1]
    b = gaussian_statistics(rng.normal(size=(n, d)) * scales[::-1].copy())[1]
    # Eigenvalues of the product are squares: half their digits are lost for the small ones, hence 1e-8.
    assert float(_root_trace_polar(a, b)) == pytest.approx(float(_root_trace(a, b)), rel=1e-7)
    assert float(_root_trace_polar(a, 0 * b)) == 0.0


@pytest.mark.parametrize("which", ["real", "fake"])
def test_influence_is_the_derivative(which):
    """Weighing one sample a little more moves the distance by its influence."""
    rng = np.random.default_rng(11)
    x, y = rng.normal(size=(80, 6)), 1.5 * rng.normal(size=(90, 6)) + 0.5
    sets = {"real": x, "fake": y}
    own, other = sets[which], sets["fake" if which == "real" else "real"]

    def distance(weights):
        mean = weights @ own
        centred = own - mean
        covariance = (centred.T * weights) @ centred * len(own) / (len(own) - 1)
        return frechet_distance(
            torch.from_numpy(mean), torch.from_numpy(covariance), *gaussian_statistics(other)
        )

    influence = frechet_influence(torch.from_numpy(own), gaussian_statistics(own), gaussian_statistics(other))
    uniform = np.full(len(own), 1 / len(own))
    for i in (0, 17, 40):
        step = 1e-5
        moved = (1 - step) * uniform + step * np.eye(len(own))[i]
        slope = (distance(moved) - distance(uniform)) / step
        assert float(influence[i]) == pytest.approx(slope, rel=0.03, abs=0.02)


def test_influence_gives_the_spread_of_the_distance():
    """Standard error from influences against the spread over fresh samples."""
    rng = np.random.default_rng(12)
    reference = gaussian_statistics(rng.normal(size=(20_000, 4)))
    fresh = [gaussian_statistics(1.4 * rng.normal(size=(400, 4)) + 0.3) for _ in range(150)]
    spread = np.std([frechet_distance(*reference, *stats) for stats in fresh])
    y = torch.from_numpy(1.4 * rng.normal(size=(400, 4)) + 0.3)
    predicted = float(frechet_influence(y, gaussian_statistics(y), reference).std()) / 20
    assert predicted == pytest.approx(spread, rel=0.25)


@pytest.mark.parametrize("d", [1, 7, 128, 129, 301, 517])
def test_triangular_products_are_the_full_ones(d):
    generator = torch.Generator().manual_seed(d)
    lower = torch.randn(d, d, generator=generator, dtype=torch.float64).tril()
    c = torch.randn(d, d, generator=generator, dtype=torch.float64)
    c = c + c.T
    full = lower.T @ c @ lower
    torch.testing.assert_close(_congruence(lower, c).tril(), full.tril(), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("d", [1, 2, 5, 64, 70])
def test_many_sets_at_once_as_one_by_one(d):
    generator = torch.Generator().manual_seed(d)
    real = torch.randn(90, d, generator=generator)
    sets = torch.randn(4, 80, d, generator=generator) * 2 + 1
    sets[3] = sets[3, :1]  # no variance at all
    own = gaussian_statistics(real)
    expected = [frechet_distance(*own, *gaussian_statistics(one)) for one in sets]
    assert frechet_distances(*own, sets).tolist() == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_single_sample_has_no_covariance_in_many_sets_either():
    own = gaussian_statistics(torch.randn(9, 2))
    with pytest.raises(ValueError, match="a covariance needs at least 2 samples, got 1"):
        frechet_distances(*own, torch.zeros(3, 1, 2))
