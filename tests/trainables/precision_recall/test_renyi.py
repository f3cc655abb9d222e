"""Rényi divergences of every order, and the laws between P and Q."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.trainables.precision_recall.laws import Pair, law_pairs
from trainables.precision_recall import log_between, renyi, renyi_gaussian

few = settings(max_examples=40)


@few
@given(law_pairs(positive=True), st.one_of(st.floats(0, 20), st.floats(-0.02, 0.02).map(lambda e: 1 + e)))
def test_renyi_rises_with_its_order_and_vanishes_at_home(pair: Pair, order: float) -> None:
    log_p, log_q = torch.tensor(pair[0]).log(), torch.tensor(pair[1]).log()
    value = float(renyi(log_p, log_q, order))
    assert value >= -1e-12
    assert value <= float(renyi(log_p, log_q, order + 0.5)) + 1e-9
    assert value <= float(renyi(log_p, log_q, math.inf)) + 1e-9
    assert float(renyi(log_p, log_p, order)) == pytest.approx(0.0, abs=1e-10)


@few
@given(law_pairs(positive=True))
def test_renyi_is_continuous_at_the_special_orders(pair: Pair) -> None:
    log_p, log_q = torch.tensor(pair[0]).log(), torch.tensor(pair[1]).log()
    for order, near in ((0.0, 1e-7), (1.0, 1 + 1e-7), (1.0, 1 - 1e-14), (math.inf, 1e7)):
        assert float(renyi(log_p, log_q, near)) == pytest.approx(float(renyi(log_p, log_q, order)), abs=1e-5)


def test_renyi_at_missing_mass() -> None:
    half, one = torch.tensor([0.5, 0.5]).log(), torch.tensor([1.0, 0.0]).log()
    assert float(renyi(one, half, 0.0)) == pytest.approx(math.log(2))  # -log Q(supp P)
    assert float(renyi(half, one, 1.0)) == math.inf
    assert float(renyi(half, one, 2.0)) == math.inf
    assert float(renyi(half, one, 0.5)) == pytest.approx(math.log(2))
    assert float(renyi(one, half, math.inf)) == pytest.approx(math.log(2))


@few
@given(law_pairs(positive=True), st.floats(0.05, 5).filter(lambda a: abs(a - 1) > 0.05))
def test_renyi_is_the_logarithm_of_the_sum_of_powers(pair: Pair, order: float) -> None:
    p, q = pair
    expected = np.log((p**order * q ** (1 - order)).sum()) / (order - 1)
    found = float(renyi(torch.tensor(p).log(), torch.tensor(q).log(), order))
    assert found == pytest.approx(expected, abs=1e-9)


@few
@given(law_pairs(positive=True), st.floats(-4, 4), st.floats(0.01, 100))
def test_the_law_between_is_the_normalised_power_mean(pair: Pair, exponent: float, tilt: float) -> None:
    assume(abs(exponent) > 0.05)
    p, q = pair
    odds = tilt ** max(1.0, abs(exponent))
    weight = odds / (1 + odds)
    mean = (weight * q**exponent + (1 - weight) * p**exponent) ** (1 / exponent)
    found = log_between(torch.tensor(p).log(), torch.tensor(q).log(), exponent, torch.tensor([tilt]).double())
    np.testing.assert_allclose(found[0].exp().numpy(), mean / mean.sum(), rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("exponent", [-math.inf, -3.0, 0.0, 1.0, math.inf])
def test_the_laws_between_run_from_real_to_model(exponent: float) -> None:
    p, q = torch.tensor([0.5, 0.3, 0.2]).double(), torch.tensor([0.2, 0.2, 0.6]).double()
    ends = log_between(p.log(), q.log(), exponent, torch.tensor([1e-9, 1e9]).double()).exp()
    torch.testing.assert_close(ends, torch.stack([p, q]), rtol=1e-6, atol=1e-6)


def test_special_exponents_are_the_minimum_the_geometric_mean_and_the_maximum() -> None:
    p, q, tilt = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.2, 0.6]), 0.7
    weight = tilt / (1 + tilt)
    for exponent, mean in (
        (-math.inf, np.minimum(p, q / tilt)),
        (0.0, q**weight * p ** (1 - weight)),
        (math.inf, np.maximum(p, tilt * q)),
    ):
        found = log_between(
            torch.tensor(p).log(), torch.tensor(q).log(), exponent, torch.tensor([tilt]).double()
        )
        np.testing.assert_allclose(found[0].exp().numpy(), mean / mean.sum(), rtol=1e-6)


def test_no_common_mass_leaves_no_law_and_an_infinite_divergence() -> None:
    left, right = torch.tensor([1.0, 0.0]).log(), torch.tensor([0.0, 1.0]).log()
    nothing = log_between(left, right, -math.inf, torch.ones(1))
    assert nothing.tolist() == [[-math.inf, -math.inf]]
    assert renyi(nothing, left.expand(1, 2), 1.0).tolist() == [math.inf]


def test_a_negative_order_is_refused() -> None:
    with pytest.raises(ValueError, match=r"order α of a Rényi divergence must be in .*, got -1"):
        renyi(torch.zeros(1), torch.zeros(1), -1.0)


@pytest.mark.parametrize("order", [0.3, 1.0, 1.005, 2.0, 3.5])
@pytest.mark.parametrize(("mean", "sigma"), [(0.0, 1.7), (0.8, 0.9), (-1.5, 1.0)])
def test_gaussians_in_closed_form_agree_with_quadrature(order: float, mean: float, sigma: float) -> None:
    from trainables.studies import Line, normal_log_density

    line = Line.around(0.0, 1.0, 40.0, 4001)
    means, sigmas = (torch.tensor(pair, dtype=torch.float64) for pair in ([0.0, mean], [1.0, sigma]))
    log_a, log_b = (normal_log_density(line.x, means, sigmas) + line.weights.log()).unbind()
    exact = renyi_gaussian(means[0], sigmas[0], means[1], sigmas[1], order)
    torch.testing.assert_close(exact, renyi(log_a, log_b, order), atol=1e-7, rtol=1e-6)


def test_a_gaussian_too_wide_for_the_other_is_infinitely_far() -> None:
    """At α = 2 from σ_B² ≤ σ_A²/2 on; the other way round the divergence stays finite."""
    zero, one = torch.zeros((), dtype=torch.float64), torch.ones((), dtype=torch.float64)
    sigmas = torch.tensor([0.70, 0.71, 3.0], dtype=torch.float64)
    assert renyi_gaussian(zero, one, zero, sigmas, 2.0).isinf().tolist() == [True, False, False]
    assert renyi_gaussian(zero, sigmas, zero, one, 2.0).isinf().tolist() == [False, False, True]
    with pytest.raises(ValueError, match=r"order α in \(0, ∞\), got inf"):
        renyi_gaussian(zero, one, zero, sigmas, math.inf)
