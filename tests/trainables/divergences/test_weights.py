"""Every member is a mixture of PR-divergences, and the mixture is the one the weights say."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainables.divergences.family import FAMILY, SMOOTH, laws, tensor
from trainables.divergences import DIVERGENCES, amari, pr, rebuild, weight

every = pytest.mark.parametrize("div", FAMILY, ids=lambda d: d.name)


@every
@settings(max_examples=15, deadline=None)
@given(pair=laws())
def test_rebuilt_to_a_millionth(div, pair):
    p, q = pair
    direct = float(div.discrete(p, q))
    assert float(rebuild(div, p, q)) == pytest.approx(direct, rel=1e-6, abs=1e-12)


# α within 1e-6 of a limit leaves a tail λ^{-1e-6}, beyond any fixed range of λ.
@pytest.mark.parametrize(
    "div", [d for d in FAMILY if d.name not in {"amari(1e-06)", "amari(0.999999)"}], ids=lambda d: d.name
)
@settings(max_examples=10, deadline=None)
@given(pair=laws(zeros=True))
def test_rebuilt_when_supports_differ(div, pair):
    p, q = pair
    direct = float(div.discrete(p, q))
    assert float(rebuild(div, p, q)) == pytest.approx(direct, rel=1e-6, abs=1e-12)


@settings(max_examples=40, deadline=None)
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
