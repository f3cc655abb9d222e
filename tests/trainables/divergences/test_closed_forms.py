"""The named members by their definitions, on common and on different supports, and as they bound each other."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings

from tests.trainables.divergences.family import P, Q, laws, tensor, value
from trainables.divergences import DIVERGENCES
from trainables.divergences.closed_forms import CHI2, GAN, HELLINGER, JEFFREYS, JS, KL, REVERSE_KL, TV

fast = settings(max_examples=60)


def test_values_on_one_pair_by_their_definitions():
    middle = (P + Q) / 2
    kl = lambda a, b: float((a * (a / b).log()).sum())  # noqa: E731
    assert value("kl") == pytest.approx(kl(P, Q))
    assert value("reverse_kl") == pytest.approx(kl(Q, P))
    assert value("jeffreys") == pytest.approx(kl(P, Q) + kl(Q, P))
    assert value("js") == pytest.approx((kl(P, middle) + kl(Q, middle)) / 2)
    assert value("gan") == pytest.approx(2 * value("js") - math.log(4))
    assert value("tv") == pytest.approx(0.4)
    assert value("chi2") == pytest.approx(float(((P - Q) ** 2 / Q).sum()))
    assert value("hellinger") == pytest.approx(float(((P.sqrt() - Q.sqrt()) ** 2).sum()))


def test_laws_that_differ_in_support():
    p, q = tensor([0.5, 0.5, 0.0]), tensor([0.0, 0.25, 0.75])
    expected = {"kl": math.inf, "reverse_kl": math.inf, "jeffreys": math.inf, "chi2": math.inf, "tv": 0.75}
    for name, number in expected.items():
        assert value(name, p, q) == pytest.approx(number)
    a, b = tensor([1.0, 0.0]), tensor([0.0, 1.0])
    assert value("js", a, b) == pytest.approx(math.log(2))
    assert value("gan", a, b) == pytest.approx(0)
    assert value("hellinger", a, b) == pytest.approx(2)
    # an atom of neither law counts for nothing; KL forgives spurious mass, reverse KL missing mass
    c, d = tensor([1.0, 0.0, 0.0]), tensor([0.5, 0.5, 0.0])
    assert value("kl", c, d) == pytest.approx(math.log(2))
    assert value("reverse_kl", d, c) == pytest.approx(math.log(2))
    assert math.isinf(value("kl", d, c))


@fast
@given(pair=laws(zeros=True))
def test_the_members_keep_the_known_inequalities(pair):
    """Pinsker, Le Cam, KL ≤ log(1 + χ²), and Lin's JS ≤ log 2 · TV, on any two laws."""
    found = {name: value(name, *pair) for name in DIVERGENCES}
    slack = 1e-12
    assert 2 * found["tv"] ** 2 <= found["kl"] + slack
    assert found["hellinger"] / 2 <= found["tv"] + slack
    assert found["tv"] <= math.sqrt(found["hellinger"] * (1 - found["hellinger"] / 4)) + 1e-7
    assert found["kl"] <= math.log1p(found["chi2"]) + slack
    assert found["js"] <= math.log(2) * found["tv"] + slack
    assert found["jeffreys"] == pytest.approx(found["kl"] + found["reverse_kl"], abs=1e-9)


@pytest.mark.parametrize("div", [TV, JS, GAN, HELLINGER, JEFFREYS], ids=lambda d: d.name)
def test_the_symmetric_members_are_their_own_reversal(div):
    assert div.reverse() is div
    assert float(div.discrete(P, Q)) == pytest.approx(float(div.discrete(Q, P)), rel=1e-12)


def test_kl_and_chi2_reverse_into_the_other_direction():
    assert KL.reverse() is REVERSE_KL
    assert REVERSE_KL.reverse() is KL
    neyman = float(((P - Q) ** 2 / P).sum())
    assert float(CHI2.reverse().discrete(P, Q)) == pytest.approx(neyman, rel=1e-9)
    assert CHI2.reverse().reverse() is CHI2
