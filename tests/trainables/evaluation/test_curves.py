"""Curves are those of law and model: by quadrature for flows, by counts for the rest."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import torch

from tests.trainables.training.members import Clusters, Parts, small
from tests.trainables.training.trials import MODELS, trial
from trainables.datasets.gaussians8 import Gaussians8
from trainables.evaluation.curves import cell_shares, model_curves
from trainables.objectives.fgan import Gan
from trainables.objectives.hinge import Hinge
from trainables.objectives.pr import PR
from trainables.precision_recall import curve_discrete, equiangular_grid
from trainables.sources.mixture import GaussianMixture
from trainables.sources.source import Batch
from trainables.training.population import Population


@cache
def trained(model: str) -> Population:
    population = Population(
        [trial(MODELS[model], objective, seed=s) for s, objective in enumerate((PR(), Hinge(), Gan()))]
    )
    population.advance(30)
    return population


@cache
def curves(model: str) -> list[dict]:
    return model_curves(trained(model))


@pytest.mark.parametrize("model", sorted(MODELS))
def test_curves_are_monotone_within_the_unit_square(model: str) -> None:
    for curve in curves(model):
        lam, precision, recall = (np.array(curve[axis]) for axis in ("lambda", "precision", "recall"))
        assert curve["source"] == ("exact" if model == "realnvp" else "histogram")
        assert bool((np.diff(lam) > 0).all())
        assert bool((np.diff(precision) >= -1e-12).all())
        assert bool((np.diff(recall) <= 1e-12).all())
        for values in (precision, recall):
            assert values.min() >= 0
            assert values.max() <= 1
        assert bool((precision <= np.minimum(1, lam) + 1e-12).all())
        # β = α/λ, but where the cut at min(1, 1/λ) held one of them back.
        np.testing.assert_allclose(recall * lam, precision, atol=1e-2)


def test_the_curve_of_a_flow_is_that_of_its_density() -> None:
    # α_λ = ∫ min(λp, q) by quadrature on a grid.
    population, index = trained("realnvp"), 1
    line = torch.linspace(-7, 7, 400)
    grid = torch.cartesian_prod(line, line).expand(3, -1, -1)
    area = float(line[1] - line[0]) ** 2
    law = Gaussians8().source().law
    q = population.log_prob(Batch(grid))[index].double().exp() * area
    p = law.log_prob(grid[index].double()).exp() * area
    assert float(q.sum()) == pytest.approx(1.0, abs=1e-3)
    curve = curves("realnvp")[index]
    for lam, precision in list(zip(curve["lambda"], curve["precision"], strict=True))[::10]:
        alpha = float(torch.minimum(lam * p, q).sum())
        assert precision == pytest.approx(alpha, abs=5 * 0.5 / 50_000**0.5 + 1e-3)


def test_the_histogram_curve_of_the_data_itself_is_near_the_corner() -> None:
    # Samples of P against P: only the noise of 50,000 points in a thousand cells is missing.
    law = Gaussians8().source().law
    assert isinstance(law, GaussianMixture)
    generator = torch.Generator().manual_seed(0)
    x = law.transform(torch.rand(50_000, generator=generator), torch.randn(50_000, 2, generator=generator))
    edges = torch.linspace(*law.span(), 31, dtype=torch.float64)
    (shares,) = cell_shares(x[None], edges)
    assert float(shares.sum()) == pytest.approx(1.0)
    mass = law.cell_masses(edges)
    curve = curve_discrete(torch.cat((mass, 1 - mass.sum(0, keepdim=True))), shares, equiangular_grid(3))
    assert float(curve.precision[1]) > 0.97
    outside = cell_shares(torch.tensor([[[99.0, 0.0], [0.0, -99.0], [torch.nan, 0.0], [0.1, 0.1]]]), edges)
    assert float(outside[0, -1]) == 0.75


def test_shares_are_laid_out_as_masses_are() -> None:
    edges = torch.tensor([0.0, 1.0, 2.0], dtype=torch.float64)
    x = torch.tensor([[0.5, 1.5], [0.5, 1.5], [1.5, 0.5], [5.0, 0.5]])
    assert cell_shares(torch.stack((x, x.flip(1))), edges).tolist() == [
        [0.0, 0.5, 0.25, 0.0, 0.25],
        [0.0, 0.25, 0.5, 0.0, 0.25],
    ]


def test_without_a_law_there_is_no_curve() -> None:
    population = Population([small(Parts(), seed=s, dataset=Clusters(labelled=False)) for s in range(2)])
    assert model_curves(population) == [{}, {}]


def test_a_density_that_overflows_gives_no_curve_and_spares_the_others() -> None:
    population = Population([trial(MODELS["realnvp"], Gan()), trial(MODELS["realnvp"], Gan(), seed=1)])
    population.matrices["average"][0] = torch.nan
    spoilt, fine = model_curves(population)
    assert spoilt == {}
    assert fine["source"] == "exact"
