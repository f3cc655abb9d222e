"""The three models on the line fail as they are named, and their curves are integrals."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from trainables.studies.gaussian_fit import TARGET
from trainables.studies.line import density
from trainables.studies.line_models import DIVERSE, MISWEIGHTED, PRECISE, line_curve, line_masses

MODELS = [DIVERSE, MISWEIGHTED, PRECISE]


@pytest.mark.parametrize("model", MODELS)
def test_curves_are_the_integral_of_the_minimum(model):
    x = torch.linspace(-45, 45, 90_001, dtype=torch.float64)
    p, q = density(TARGET, x).exp(), density(model, x).exp()
    curve = line_curve(model, [0.1, 1.0, 10.0])
    for lam, alpha, beta in zip(curve.lam, curve.precision, curve.recall, strict=True):
        assert alpha == pytest.approx(float(torch.minimum(lam * p, q).sum()) * 1e-3, abs=1e-4)
        assert beta == pytest.approx(alpha / lam)


@pytest.mark.parametrize("model", MODELS)
def test_masses_are_laws_on_the_whole_line(model):
    x, p, q = line_masses(model, nodes=801)
    assert x.shape == p.shape == q.shape == (801,)
    assert float(p.sum()) == pytest.approx(1.0)
    assert float(q.sum()) == pytest.approx(1.0)
    assert float((q * x).sum()) == pytest.approx(float((model.weights * model.means[:, 0]).sum()), abs=1e-3)


def test_the_diverse_model_recalls_and_the_precise_one_does_not():
    lam = np.array([0.1, 10.0])
    diverse, precise = line_curve(DIVERSE, lam), line_curve(PRECISE, lam)
    assert diverse.recall[0] > 0.99 > 0.75 > diverse.precision[1]
    assert precise.precision[1] > 0.99 > 0.6 > precise.recall[0]


def test_the_misweighted_model_has_the_support_and_another_density():
    curve = line_curve(MISWEIGHTED, [0.0, 1.0, np.inf])
    assert (curve.recall[0], curve.precision[2]) == pytest.approx((1.0, 1.0))
    assert 0.5 < curve.precision[1] < 0.7
