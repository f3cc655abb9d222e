"""Mode-seeking and mass-covering come out as the thesis says (figures 4.1, 4.2, 4.6, 4.7, 6.15)."""

import math
from functools import cache

import pytest
import torch
from scipy.optimize import minimize
from scipy.stats import norm

from trainables.divergences import DIVERGENCES, pr
from trainables.sources.mixture import GaussianMixture
from trainables.studies import TARGET, Line, density, fit_gaussian, landscape, normal_log_density, refined

WEIGHTS, MEANS = TARGET.weights.numpy(), TARGET.means[:, 0].numpy()
# The moments of the target: where KL must land.
MEAN = float(WEIGHTS @ MEANS)
SPREAD = math.sqrt(TARGET.sigma**2 + float(WEIGHTS @ (MEANS - MEAN) ** 2))


@cache
def fit(name, budget=1.0):
    div = pr(float(name[3:])) if name.startswith("pr") else DIVERGENCES[name]
    return fit_gaussian(div, budget=budget)


def test_kl_matches_the_moments():
    assert fit("kl").mu == pytest.approx(MEAN, abs=1e-4)
    assert fit("kl").sigma == pytest.approx(SPREAD, abs=1e-4)


@pytest.mark.parametrize("name", ["kl", "chi2", "jeffreys", "hellinger", "pr 0.1"])
def test_mass_covering(name):
    found = fit(name)
    assert abs(found.mu - MEAN) < 0.3
    assert 3.0 < found.sigma < 4.0


@pytest.mark.parametrize("name", ["reverse_kl", "js", "gan", "tv", "pr 1", "pr 10"])
def test_mode_seeking(name):
    found = fit(name)
    assert abs(found.mu - MEANS[0]) < 0.4  # the heavier mode
    assert 0.9 < found.sigma < 1.7


def test_lambda_one_is_total_variation():
    assert fit("pr 1").mu == pytest.approx(fit("tv").mu, abs=1e-6)
    assert fit("pr 1").sigma == pytest.approx(fit("tv").sigma, abs=1e-6)
    assert fit("pr 1").value == pytest.approx(fit("tv").value, abs=1e-9)


def test_total_variation_covers_when_the_gap_is_a_little_smaller():
    nearer = GaussianMixture(TARGET.means * 5 / 7, TARGET.weights, TARGET.sigma)
    assert fit_gaussian(DIVERGENCES["tv"], nearer).sigma > 2.4
    assert fit("tv").sigma < 1.7


def test_small_and_large_lambda_are_ties_broken_by_total_variation():
    for name in ("pr 0.1", "pr 10"):
        found = fit(name)
        assert found.tied
        assert found.value <= 1e-6
    assert not fit("pr 1").tied
    # every much wider Gaussian is as good at λ = 0.1, every one narrow on either mode at λ = 10
    assert float(landscape(pr(0.1), mu=(-1, 1, 3), sigma=(4.0, 6.0, 3)).values.max()) < 1e-9
    for mode in MEANS:
        assert float(landscape(pr(10.0), mu=(mode, mode, 1), sigma=(0.6, 0.9, 3)).values.max()) < 1e-9


def test_rejection_in_training_turns_seeking_into_covering():
    """Figure 6.15: GAN alone sits on a mode; GAN through OBRS at K = 2 covers both, and ends closer to P."""
    alone, through = fit("gan"), fit("gan", 2.0)
    assert alone.sigma < 1.1
    assert through.sigma > 3.2
    line = Line.around(0.0, 5.0, 40.0, 3001)
    p = line.masses(density(TARGET, line.x))
    gan = DIVERGENCES["gan"]

    def after(found):
        mu, sigma = torch.tensor([[found.mu], [found.sigma]], dtype=torch.float64)
        q = line.masses(normal_log_density(line.x, mu, sigma))
        return float(gan.discrete(p, refined(p, q, 2.0)))

    assert after(through) == pytest.approx(through.value, abs=1e-6)
    assert after(alone) > after(through) + 0.2


@pytest.mark.parametrize("name", ["reverse_kl", "jeffreys", "js", "hellinger"])
def test_no_other_optimiser_does_better(name):
    """Nelder-Mead on an independent quadrature, from six starts, finds the same minimum."""
    x = torch.linspace(-40, 40, 4001, dtype=torch.float64)
    p = sum(w * norm.pdf(x.numpy(), m, TARGET.sigma) for w, m in zip(WEIGHTS, MEANS, strict=True))
    p = torch.as_tensor(p).clamp(min=1e-300)
    div = DIVERGENCES[name]

    def loss(theta):
        q = torch.as_tensor(norm.pdf(x.numpy(), theta[0], math.exp(theta[1]))).clamp(min=1e-300)
        return float(div.integrand(p, q).sum() * (x[1] - x[0]))

    starts = [(m, math.log(s)) for m in (-3.5, 0.0, 3.5) for s in (1.0, 3.5)]
    best = min((minimize(loss, s, method="Nelder-Mead", tol=1e-9) for s in starts), key=lambda r: r.fun)
    assert fit(name).value == pytest.approx(best.fun, abs=1e-7)
    assert fit(name).mu == pytest.approx(best.x[0], abs=1e-3)
    assert fit(name).sigma == pytest.approx(math.exp(best.x[1]), abs=1e-3)


def test_a_lone_gaussian_is_found_by_every_member():
    target = GaussianMixture(
        torch.tensor([[1.0]], dtype=torch.float64), torch.ones(1, dtype=torch.float64), sigma=1.3
    )
    for div in (DIVERGENCES["kl"], DIVERGENCES["tv"], pr(0.5)):
        found = fit_gaussian(div, target, mu=(-2.0, 3.0), sigma=(0.6, 3.0))
        assert (found.mu, found.sigma) == (pytest.approx(1.0, abs=2e-3), pytest.approx(1.3, abs=2e-3))
