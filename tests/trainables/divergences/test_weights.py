"""Every member is a mixture of PR-divergences, and the mixture is the one the weights say."""

import math

import mpmath
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainables.divergences.family import FAMILY, SMOOTH, laws, tensor
from tests.trainables.divergences.test_amari import exact_divergence
from trainables.divergences import DIVERGENCES, amari, pr, rebuild, weight

every = pytest.mark.parametrize("div", FAMILY, ids=lambda d: d.name)


@every
@settings(max_examples=15)
@given(pair=laws())
def test_rebuilt_to_a_millionth(div, pair):
    p, q = pair
    direct = float(div.discrete(p, q))
    assert float(rebuild(div, p, q)) == pytest.approx(direct, rel=1e-6, abs=1e-12)


@every
@settings(max_examples=10)
@given(pair=laws(zeros=True))
def test_rebuilt_when_supports_differ(div, pair):
    p, q = pair
    direct = float(div.discrete(p, q))
    assert float(rebuild(div, p, q)) == pytest.approx(direct, rel=1e-6, abs=1e-12)


@settings(max_examples=60)
@given(
    pair=laws(zeros=True),
    at=st.sampled_from([0.0, 1.0]),
    side=st.sampled_from([-1, 1]),
    distance=st.floats(-12, -2).map(lambda e: 10**e),
)
def test_rebuilt_when_alpha_is_near_a_limit(pair, at, side, distance):
    """Amari's integrand decays like λ^{±distance} there, beyond any range of λ; its tails are closed forms."""
    p, q = pair
    p, q = p / p.sum(), q / q.sum()
    alpha = at + side * distance
    with mpmath.workdps(60):
        expected = exact_divergence(p, q, mpmath.mpf(alpha), 1 - mpmath.mpf(alpha))
    assert float(rebuild(amari(alpha), p, q)) == pytest.approx(expected, rel=1e-10, abs=1e-13)


def test_laws_of_disjoint_supports_are_all_tail():
    p, q = tensor([1.0, 0.0]), tensor([0.0, 1.0])
    for name, expected in {
        "js": math.log(2),
        "gan": 0.0,
        "hellinger": 2.0,
        "tv": 1.0,
        "kl": math.inf,
    }.items():
        assert float(rebuild(DIVERGENCES[name], p, q)) == pytest.approx(expected, abs=1e-12)
    assert float(rebuild(amari(0.25), p, q)) == pytest.approx(1 / 0.25 + 1 / 0.75, rel=1e-12)


def test_ratios_beyond_the_range_of_doubles_are_refused():
    p, q = tensor([0.5, 0.5]), tensor([1e-120, 1.0])
    with pytest.raises(ValueError, match=r"within e\^±230, got log q/p = -275\.6"):
        rebuild(DIVERGENCES["kl"], p, q)


@settings(max_examples=40)
@given(log_lam=st.floats(-5, 5))
def test_weights_as_printed(log_lam):
    lam = tensor(math.exp(log_lam))
    printed = {"kl": lam**-2, "reverse_kl": 1 / lam, "js": 1 / (2 * lam * (lam + 1))}
    for name, value in printed.items():
        assert torch.allclose(weight(DIVERGENCES[name], lam), value, rtol=1e-12)
    assert torch.allclose(weight(amari(0.3), lam), lam ** (-1.3), rtol=1e-12)
    for div in SMOOTH:
        assert weight(div, lam) > 0


def test_a_point_mass_has_no_density():
    for div in (DIVERGENCES["tv"], pr(2.0)):
        with pytest.raises(ValueError, match="atom"):
            weight(div, tensor(1.0))
    assert DIVERGENCES["tv"].weight_atom == (1.0, 1.0)
    assert pr(2.0).weight_atom == (2.0, 1.0)
