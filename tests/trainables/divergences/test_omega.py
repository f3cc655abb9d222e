"""The logarithm of the Wright omega function solves its equation, with exact derivatives."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import wrightomega

from tests.trainables.divergences.family import tensor
from trainables.divergences.omega import log_omega

fast = settings(max_examples=60)


@fast
@given(z=st.floats(-700, 700))
def test_log_omega_solves_its_equation(z):
    x = tensor(z).requires_grad_()
    y = log_omega(x)
    assert float((y.exp() + y).detach()) == pytest.approx(z, rel=1e-12, abs=1e-12)
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    e = float(y.detach().exp())
    assert float(first.detach()) == pytest.approx(1 / (1 + e), rel=1e-10)
    assert float(second) == pytest.approx(-e / (1 + e) ** 3, rel=1e-7, abs=1e-300)


def test_it_is_the_logarithm_of_scipys_wright_omega():
    z = torch.linspace(-600, 600, 2401, dtype=torch.float64)
    np.testing.assert_allclose(log_omega(z).exp().numpy(), wrightomega(z.numpy()), rtol=1e-12)


def test_float32_of_any_shape_stays_finite():
    z = torch.tensor([[-1e30, -50.0, 0.0], [1.0, 50.0, 1e30]])
    y = log_omega(z)
    assert y.dtype == torch.float32
    assert y.shape == z.shape
    assert torch.isfinite(y).all()
    assert float(log_omega(torch.tensor(1.0))) == pytest.approx(0.0, abs=1e-7)  # e⁰ + 0 = 1
