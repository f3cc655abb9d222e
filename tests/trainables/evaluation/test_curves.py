"""Curves are those of law and model: from densities for flows, from neighbours for the rest."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import torch

from tests.trainables.training.members import Clusters, Parts, small
from tests.trainables.training.trials import MODELS, trial
from trainables.datasets.gaussians8 import Gaussians8
from trainables.evaluation.curves import model_curves
from trainables.objectives.fgan import Gan
from trainables.objectives.hinge import Hinge
from trainables.objectives.pr import PR
from trainables.precision_recall import equiangular_grid, geometric_grid
from trainables.precision_recall.neighbours import curve_from_neighbours
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
        assert curve["source"] == ("exact" if model == "realnvp" else "neighbours")
        assert bool((np.diff(lam) > 0).all())
        assert bool((np.diff(precision) >= -1e-12).all())
        assert bool((np.diff(recall) <= 1e-12).all())
        for values in (precision, recall):
            assert values.min() >= 0
            assert values.max() <= 1
        assert bool((precision <= np.minimum(1, lam) + 1e-12).all())
        np.testing.assert_allclose(recall * lam, precision, rtol=1e-4)
        assert min(curve["error"]) >= 0


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


def test_samples_of_a_model_are_read_beside_the_same_samples_of_the_law() -> None:
    population = trained("mlp_gan")
    law, index = Gaussians8().source().law, 1
    assert law is not None
    points = population.sample(28_000, population.iteration).x[index]
    real = population.source.reference(16_000).x
    grid = torch.tensor(curves("mlp_gan")[index]["lambda"], dtype=torch.float64)
    found = curve_from_neighbours(law.log_prob, points[:20_000], points[20_000:], real, grid)
    np.testing.assert_allclose(curves("mlp_gan")[index]["precision"], found.curve.precision, atol=1e-5)
    np.testing.assert_allclose(curves("mlp_gan")[index]["error"], found.error, atol=1e-5)


@pytest.mark.parametrize("model", sorted(MODELS))
def test_fewer_samples_make_a_rougher_curve_that_says_so(model: str) -> None:
    for samples in (1, 200):
        for rough, fine in zip(model_curves(trained(model), samples), curves(model), strict=True):
            apart = np.abs(np.subtract(rough["precision"], fine["precision"]))
            assert bool((apart <= 2 * np.add(rough["error"], fine["error"]) + 1e-6).all())
            assert np.mean(rough["error"]) > 1.5 * np.mean(fine["error"])
    assert model_curves(trained(model), 5_000) == curves(model)


@pytest.mark.parametrize("model", sorted(MODELS))
def test_the_grid_has_equal_angles_and_equal_factors(model: str) -> None:
    lam = np.log(curves(model)[0]["lambda"])
    for grid in (equiangular_grid(101), geometric_grid()):
        assert np.abs(np.log(grid.numpy())[:, None] - lam).min(axis=1).max() < 1e-5


def test_without_a_law_there_is_no_curve() -> None:
    population = Population([small(Parts(), seed=s, dataset=Clusters(labelled=False)) for s in range(2)])
    assert model_curves(population) == [{}, {}]


def test_a_density_that_overflows_gives_no_curve_and_spares_the_others() -> None:
    population = Population([trial(MODELS["realnvp"], Gan()), trial(MODELS["realnvp"], Gan(), seed=1)])
    population.matrices["average"][0] = torch.nan
    spoilt, fine = model_curves(population)
    assert spoilt == {}
    assert fine["source"] == "exact"
