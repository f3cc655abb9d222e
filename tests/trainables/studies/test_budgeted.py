"""The laws on the line give the numbers that the thesis prints, and rejection on them does what its theorems say."""

from __future__ import annotations

import pytest
import torch

from trainables.divergences import DIVERGENCES
from trainables.rejection import guaranteed_improvement, largest_ratio, refine_drs, refine_obrs, refine_plain
from trainables.studies import covering_pair, narrower_pair, refined_laws, two_piece_log_density

BUDGETS = (1.0, 1.5, 2.0, 4.0, 8.0)


def test_plain_rejection_keeps_what_is_printed():
    rates = [refine_plain(pair.p, pair.q).rate for pair in (covering_pair(), narrower_pair())]
    assert [round(100 * rate) for rate in rates] == [45, 8]
    assert rates[1] < 0.08  # the text says "lower than 8%"
    assert rates == pytest.approx([1 / largest_ratio(x.p, x.q) for x in (covering_pair(), narrower_pair())])


@pytest.mark.parametrize(("budget", "gamma"), [(4.0, -1.7), (2.0, -3.6)])
def test_discriminator_rejection_needs_the_printed_gamma(budget, gamma):
    pair = narrower_pair()
    found = refine_drs(pair.p, pair.q, budget)
    assert found.rate == pytest.approx(1 / budget, abs=1e-9)
    assert round(found.constant, 1) == gamma


def test_masses_are_densities_times_weights():
    pair = narrower_pair()
    assert pair.p.shape == pair.q.shape == pair.line.x.shape
    assert float(pair.p.sum()) == pytest.approx(1.0)
    expected = two_piece_log_density(pair.line.x, -0.4, 6.5, 2.5).exp()
    near = pair.line.x.abs() < 20
    torch.testing.assert_close(pair.density(pair.q)[near], expected[near], rtol=1e-4, atol=1e-12)


def test_a_two_piece_law_has_mass_one_and_each_deviation_on_its_side():
    x = torch.linspace(-60, 40, 400_001, dtype=torch.float64)
    density = two_piece_log_density(x, 1.5, 6.0, 2.0).exp()
    assert float(torch.trapezoid(density, x)) == pytest.approx(1.0, abs=1e-6)
    below = x < 1.5
    assert float(torch.trapezoid(density[below], x[below])) == pytest.approx(6 / 8, abs=1e-3)
    equal = two_piece_log_density(x, 0.0, 2.0, 2.0)
    torch.testing.assert_close(equal, torch.distributions.Normal(0.0, 2.0).log_prob(x))


@pytest.mark.parametrize("name", ["tv", "kl", "reverse_kl"])
def test_divergences_fall_with_the_budget_and_most_under_obrs(name):
    pair, div = narrower_pair(), DIVERGENCES[name]
    obrs, drs = (
        div.discrete(pair.p, refined_laws(pair, BUDGETS, refine)) for refine in (refine_obrs, refine_drs)
    )
    assert (obrs.diff() < 0).all()
    assert (
        float(obrs[0]) == pytest.approx(float(drs[0])) == pytest.approx(float(div.discrete(pair.p, pair.q)))
    )
    assert (obrs[1:] < drs[1:]).all()
    for budget, value in zip(BUDGETS, obrs, strict=True):
        kept = 1 - guaranteed_improvement(pair.p, pair.q, budget)
        assert float(value) <= kept * float(obrs[0]) + 1e-12
