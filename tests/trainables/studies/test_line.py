"""Quadrature on the line: closed forms of Gaussians, and the law that rejection leaves."""

from __future__ import annotations

import math

import pytest
import torch

from trainables.divergences import DIVERGENCES
from trainables.sources.mixture import GaussianMixture
from trainables.studies import Line, density, normal_log_density, refined

LINE = Line.around(0.0, 4.0, 40.0, 2001)


def gaussian(mu, sigma):
    return LINE.masses(normal_log_density(LINE.x, *torch.tensor([[mu], [sigma]], dtype=torch.float64)))[0]


def test_divergences_of_gaussians_by_their_closed_forms():
    p, q = gaussian(0.5, 1.2), gaussian(-1.0, 2.0)
    kl = math.log(2 / 1.2) + (1.2**2 + 1.5**2) / (2 * 4) - 0.5
    assert float(DIVERGENCES["kl"].discrete(p, q)) == pytest.approx(kl, abs=1e-10)
    overlap = math.sqrt(2 * 1.2 * 2 / (1.44 + 4)) * math.exp(-(1.5**2) / (4 * (1.44 + 4)))
    assert float(DIVERGENCES["hellinger"].discrete(p, q)) == pytest.approx(2 - 2 * overlap, abs=1e-10)
    shifted = math.erf(1.5 / (2 * math.sqrt(2)))  # TV of N(0,1) and N(1.5,1)
    assert float(DIVERGENCES["tv"].discrete(gaussian(0, 1), gaussian(1.5, 1))) == pytest.approx(
        shifted, abs=1e-5
    )


@pytest.mark.parametrize("budget", [1.0, 1.5, 4.0])
def test_refined_law_is_a_law_within_the_budget_and_no_further(budget):
    p, q = gaussian(0.0, 1.0), gaussian(0.4, 2.5)
    law = refined(p, q, budget)
    assert float(law.sum()) == pytest.approx(1)
    assert float((law / q).max()) <= budget * (1 + 1e-9)  # q̃ ≤ K q, Lemma 6.3.1
    for name in ("kl", "reverse_kl", "tv", "chi2"):
        div = DIVERGENCES[name]
        assert div.discrete(p, law) <= div.discrete(p, q) + 1e-12


def test_what_is_no_line_is_refused():
    with pytest.raises(ValueError, match="odd number of nodes"):
        Line.around(0.0, 1.0, 2.0, 100)
    with pytest.raises(ValueError, match="scale"):
        Line.around(0.0, 3.0, 2.0, 101)
    plane = GaussianMixture(torch.zeros(1, 2), torch.ones(1), sigma=1.0)
    with pytest.raises(ValueError, match="dimension 1, got 2"):
        density(plane, LINE.x)


def test_the_nodes_reach_both_ends_and_integrate_a_bell():
    line = Line.around(2.0, 1.5, 30.0, 401)
    assert (float(line.x[0]), float(line.x[200]), float(line.x[-1])) == pytest.approx((-28.0, 2.0, 32.0))
    bell = torch.exp(-((line.x - 2.7) ** 2) / 2)
    assert float((line.weights * bell).sum()) == pytest.approx(math.sqrt(2 * math.pi), rel=1e-12)


def test_densities_are_those_of_torch():
    mu, sigma = torch.tensor([[0.5, -2.0], [1.2, 0.3]], dtype=torch.float64)
    found = normal_log_density(LINE.x, mu, sigma)
    for row, m, s in zip(found, mu, sigma, strict=True):
        torch.testing.assert_close(row, torch.distributions.Normal(m, s).log_prob(LINE.x))


def test_no_mass_underflows_to_nothing():
    masses = LINE.masses(normal_log_density(LINE.x, *torch.tensor([[0.0], [0.05]], dtype=torch.float64)))
    assert float(masses.min()) > 0.0
    assert float(masses.sum()) == pytest.approx(1.0)


def test_a_budget_of_one_leaves_the_law_alone():
    p, q = gaussian(0.0, 1.0), gaussian(1.0, 2.0)
    assert refined(p, q, 1) is q
