"""Truncated latents have the law they should, and cost the recall they should."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from trainables.precision_recall import equiangular_grid
from trainables.studies.truncation import (
    hard_curve,
    hard_density,
    hard_truncated,
    kept_mass,
    soft_curve,
    soft_density,
    soft_truncated,
)

Z = torch.linspace(-8, 8, 160_001, dtype=torch.float64)


def test_hard_truncation_is_the_law_of_drawing_again():
    generator = torch.Generator().manual_seed(0)
    drawn = torch.randn(400_000, generator=generator, dtype=torch.float64)
    again = drawn[drawn.abs() <= 0.8]
    direct = hard_truncated((torch.arange(1000, dtype=torch.float64) + 0.5) / 1000, 0.8)
    assert direct.abs().max() <= 0.8
    quantiles = torch.quantile(again, torch.tensor([0.1, 0.5, 0.9], dtype=torch.float64))
    np.testing.assert_allclose(direct[[100, 500, 900]], quantiles, atol=0.01)


@pytest.mark.parametrize("psi", [0.5, 1.0, 2.0])
def test_densities_have_mass_one_and_the_hard_one_ends_at_psi(psi):
    step = float(Z[1] - Z[0])
    for law in (hard_density(Z, psi), soft_density(Z, psi)):
        assert float(law.sum()) * step == pytest.approx(1.0, abs=1e-3)
    assert float(hard_density(torch.tensor(psi + 1e-6, dtype=torch.float64), psi)) == 0
    assert float(hard_density(torch.tensor(0.0).double(), psi)) * kept_mass(psi, 1) == pytest.approx(
        1 / math.sqrt(2 * math.pi)
    )


def test_soft_truncation_scales():
    z = torch.randn(10_000, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    assert float(soft_truncated(z, 0.6).std() / z.std()) == pytest.approx(0.6)


def test_the_kept_mass_is_that_of_a_box():
    inside = (torch.randn(200_000, 3, generator=torch.Generator().manual_seed(2)).abs() <= 1.2).all(dim=1)
    assert kept_mass(1.2, 3) == pytest.approx(float(inside.double().mean()), abs=0.005)


def test_hard_truncation_keeps_precision_and_cuts_recall_at_the_kept_mass():
    curve = hard_curve(1.0, 2, [0.0, 0.1, 1.0, 10.0, np.inf])
    mass = kept_mass(1.0, 2)
    np.testing.assert_allclose(curve.recall, [mass, mass, mass, 0.1, 0.0], atol=1e-12)
    np.testing.assert_allclose(curve.precision, [0, 0.1 * mass, mass, 1.0, 1.0], atol=1e-12)


@pytest.mark.parametrize("psi", [0.6, 1.5])
def test_the_soft_curve_is_the_integral_of_the_minimum(psi):
    curve = soft_curve(psi, 1, equiangular_grid(9))
    p, q, step = soft_density(Z, 1.0), soft_density(Z, psi), float(Z[1] - Z[0])
    for lam, alpha in zip(curve.lam, curve.precision, strict=True):
        assert alpha == pytest.approx(float(torch.minimum(lam * p, q).sum()) * step, abs=2e-4)


def test_no_truncation_costs_nothing_and_a_small_one_less_than_a_large_one():
    np.testing.assert_allclose(soft_curve(1.0, 4, [0.5, 1.0, 2.0]).precision, [0.5, 1.0, 1.0], atol=1e-9)
    at_one = [float(soft_curve(psi, 2, [1.0]).recall[0]) for psi in (0.3, 0.6, 0.9)]
    assert at_one == sorted(at_one)


@pytest.mark.parametrize("psi", [0.0, -1.0, math.nan])
def test_a_scale_that_is_none_is_refused(psi):
    for call in (
        lambda: kept_mass(psi, 2),
        lambda: soft_curve(psi, 2, [1.0]),
        lambda: hard_truncated(Z, psi),
    ):
        with pytest.raises(ValueError, match="ψ must be > 0"):
            call()
