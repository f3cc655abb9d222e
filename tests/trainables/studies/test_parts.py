"""P = βμ + (1-β)ν_P and P̂ = αμ + (1-α)ν_P̂, and no common part does better than the curve."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from trainables.precision_recall import curve_discrete
from trainables.studies.parts import attained, parts

MASSES = st.lists(st.integers(0, 20), min_size=6, max_size=6)
TRADE_OFF = st.floats(0.01, 100)


def _law(counts: list[int]) -> torch.Tensor:
    mass = torch.tensor(counts, dtype=torch.float64) + torch.tensor([1.0, 0, 0, 0, 0, 0], dtype=torch.float64)
    return mass / mass.sum()


@given(MASSES, MASSES, TRADE_OFF)
def test_the_parts_make_up_the_laws(first, second, lam):
    p, q = _law(first), _law(second)
    split = parts(p, q, lam)
    curve = curve_discrete(p, q, [lam])
    assert split.precision == pytest.approx(curve.precision[0])
    assert split.recall == pytest.approx(curve.recall[0])
    assert float(split.common.sum()) == pytest.approx(1.0)
    torch.testing.assert_close(split.recall * split.common + split.missed, p)
    torch.testing.assert_close(split.precision * split.common + split.invented, q)
    assert float(split.missed.sum()) == pytest.approx(1 - split.recall, abs=1e-9)
    assert float(split.invented.sum()) == pytest.approx(1 - split.precision, abs=1e-9)
    # Nothing in common is left on both sides: it would belong to μ.
    assert float(torch.minimum(lam * split.missed, split.invented).max()) <= 1e-9 * max(1, lam)


@given(MASSES, MASSES, TRADE_OFF)
def test_the_common_part_attains_its_pair(first, second, lam):
    p, q = _law(first), _law(second)
    split = parts(p, q, lam)
    alpha, beta = attained(p, q, split.common)
    assert float(alpha) >= split.precision - 1e-9
    assert float(beta) >= split.recall - 1e-9


@given(MASSES, MASSES, MASSES)
def test_no_common_part_is_above_the_curve(first, second, third):
    p, q, mu = _law(first), _law(second), _law(third)
    alpha, beta = (float(x) for x in attained(p, q, mu))
    if alpha > 0 and beta > 0:
        assert curve_discrete(p, q, [alpha / beta]).precision[0] >= alpha - 1e-9


def test_what_a_law_attains_by_hand():
    p, q = torch.tensor([0.5, 0.5]).double(), torch.tensor([0.8, 0.2]).double()
    alpha, beta = attained(p, q, torch.tensor([[0.5, 0.5], [1.0, 0.0]]).double())
    assert alpha.tolist() == pytest.approx([0.4, 0.8])
    assert beta.tolist() == pytest.approx([1.0, 0.5])


def test_laws_apart_have_no_common_part():
    with pytest.raises(ValueError, match="no common mass"):
        parts(torch.tensor([1.0, 0.0]).double(), torch.tensor([0.0, 1.0]).double(), 1.0)
