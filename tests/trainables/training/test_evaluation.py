"""An evaluation is plain data about one trial, whoever its neighbours are."""

from __future__ import annotations

import pickle
from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

from tests.trainables.training.trials import FLOW, MLP, MODELS, trial
from trainables.config import ConstraintConfig, ObjectiveConfig, TrialConfig
from trainables.sources.mixtures import mixture
from trainables.training.evaluation import Evaluation, evaluate, reference
from trainables.training.population import Population

MEASURES = {"precision", "recall", "density", "coverage", "fid", "quality", "modes_hit", "modes_held"}
BUDGETS = ((1.0, 1.5, 2.0), (3.0,), (8.0, 1.0))
SAMPLES = 300


def configs(model: str) -> list[TrialConfig]:
    """Budgets, objectives, constraints and seeds of their own."""
    return [
        trial(MODELS[model], ObjectiveConfig(lam=1.0), budgets=BUDGETS[0], samples=SAMPLES),
        trial(
            MODELS[model],
            ObjectiveConfig("hinge"),
            ConstraintConfig("spectral", 2.0),
            budgets=BUDGETS[1],
            samples=SAMPLES,
            seed=1,
        ),
        trial(MODELS[model], ObjectiveConfig("chi2"), budgets=BUDGETS[2], samples=SAMPLES, seed=2),
    ]


@cache
def trained(model: str) -> Population:
    population = Population(configs(model))
    population.advance(30)
    return population


@cache
def final(model: str) -> list[Evaluation]:
    return evaluate(trained(model), final=True)


@pytest.mark.parametrize("model", sorted(MODELS))
def test_the_same_alone_and_in_a_pack(model: str) -> None:
    for index, config in enumerate(configs(model)):
        alone = Population([config])
        alone.advance(30)
        one, other = evaluate(alone, final=True)[0], final(model)[index]
        assert one.metrics.keys() == other.metrics.keys()
        assert one.budgets.keys() == other.budgets.keys()
        # A count may turn on a rounding of the last digit; nothing else may.
        near: dict[str, Any] = {"rel": 2e-3, "abs": 3 / SAMPLES}
        assert one.metrics == pytest.approx(other.metrics, **near)
        for budget in one.budgets:
            assert one.budgets[budget] == pytest.approx(other.budgets[budget], **near)
        np.testing.assert_allclose(one.samples["fake"], other.samples["fake"], rtol=1e-3, atol=1e-4)
        for axis in ("precision", "recall"):
            np.testing.assert_allclose(one.curve[axis], other.curve[axis], atol=2e-3)


@pytest.mark.parametrize("model", sorted(MODELS))
def test_every_budget_is_spent(model: str) -> None:
    for config, evaluation in zip(configs(model), final(model), strict=True):
        assert list(evaluation.budgets) == sorted({1.0, *config.refinement.budgets})
        for budget, measures in evaluation.budgets.items():
            size = 1 if budget == 1 else budget * (SAMPLES + 6 * SAMPLES**0.5)
            error = ((1 / budget) * (1 - 1 / budget) / size) ** 0.5
            assert measures["acceptance"] == pytest.approx(1 / budget, abs=5 * error + 1e-12)
            assert measures.keys() == MEASURES | {"acceptance"}
            shown = evaluation.samples["budgets"][f"{budget:g}"]
            assert shown.shape == (SAMPLES, 2)  # enough proposals for a full set of accepted points


@pytest.mark.parametrize("model", sorted(MODELS))
def test_a_budget_of_one_is_no_refinement(model: str) -> None:
    for evaluation in final(model):
        plain = {name: evaluation.metrics[name] for name in MEASURES}
        assert {**plain, "acceptance": 1.0} == evaluation.budgets[1.0]
        np.testing.assert_array_equal(evaluation.samples["budgets"]["1"], evaluation.samples["fake"])


@pytest.mark.parametrize("model", sorted(MODELS))
def test_accepted_points_are_generated_points(model: str) -> None:
    population = trained(model)
    pool = population.sample(5000, population.iteration)
    for index, evaluation in enumerate(final(model)):
        known = {tuple(point) for point in pool[index].tolist()}
        for points in evaluation.samples["budgets"].values():
            assert {tuple(point) for point in points.tolist()} <= known


def test_rejection_follows_the_critic() -> None:
    # Accepted points have a larger mean log ratio than the pool; a wrong sign would lower it.
    population = trained("realnvp")
    evaluation = final("realnvp")[2]
    kept = torch.from_numpy(evaluation.samples["budgets"]["8"])

    def mean_ratio(points: torch.Tensor) -> float:
        return float(population.log_ratio(points.expand(3, -1, -1))[2].mean())

    pool = population.sample(SAMPLES, population.iteration)[2]
    assert evaluation.metrics["calibration"] > 0
    assert mean_ratio(kept) > mean_ratio(pool)


@pytest.mark.parametrize("model", sorted(MODELS))
def test_curves_are_monotone_within_the_unit_square(model: str) -> None:
    for evaluation in final(model):
        curve = evaluation.curve
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
    q = population.log_prob(grid)[index].double().exp() * area
    p = mixture("gaussians8").log_prob(grid[index].double()).exp() * area
    assert float(q.sum()) == pytest.approx(1.0, abs=1e-3)
    curve = final("realnvp")[index].curve
    for lam, precision in list(zip(curve["lambda"], curve["precision"], strict=True))[::10]:
        alpha = float(torch.minimum(lam * p, q).sum())
        assert precision == pytest.approx(alpha, abs=5 * 0.5 / 50_000**0.5 + 1e-3)


def test_the_histogram_curve_of_the_data_itself_is_near_the_corner() -> None:
    # Samples of P against P: only the noise of 50,000 points in a thousand cells is missing.
    from trainables.precision_recall import curve_discrete, equiangular_grid
    from trainables.training.evaluation import _cell_shares

    law = mixture("gaussians8")
    generator = torch.Generator().manual_seed(0)
    x = law.transform(torch.rand(50_000, generator=generator), torch.randn(50_000, 2, generator=generator))
    edges = torch.linspace(*law.span(), 31, dtype=torch.float64)
    shares = _cell_shares(x, edges)
    assert float(shares.sum()) == pytest.approx(1.0)
    mass = law.cell_masses(edges)
    curve = curve_discrete(torch.cat((mass, 1 - mass.sum(0, keepdim=True))), shares, equiangular_grid(3))
    assert float(curve.precision[1]) > 0.97
    outside = _cell_shares(torch.tensor([[99.0, 0.0], [0.0, -99.0], [torch.nan, 0.0], [0.1, 0.1]]), edges)
    assert float(outside[-1]) == 0.75


def test_before_the_end_only_measures() -> None:
    evaluation = evaluate(trained("mlp_gan"), final=False)[0]
    assert (evaluation.budgets, evaluation.samples, evaluation.curve) == ({}, {}, {})
    assert evaluation.metrics.keys() >= MEASURES
    assert not evaluation.final
    # The points of an evaluation do not depend on whether it is the last.
    assert evaluation.metrics == pytest.approx(final("mlp_gan")[0].metrics, rel=1e-4, abs=1e-6)


def test_real_points_are_drawn_once_and_shared() -> None:
    assert reference("gaussians8", SAMPLES, 3) is reference("gaussians8", SAMPLES, 3)
    shown = [evaluation.samples["real"] for evaluation in final("mlp_gan") + final("realnvp")]
    for points in shown[1:]:
        np.testing.assert_array_equal(points, shown[0])
    real = reference("gaussians8", SAMPLES, 3)
    assert real.points.shape == (SAMPLES, 2)
    assert real.radii.shape == (SAMPLES,)
    perfect = real.measure(mixture("gaussians8"), real.points, 3)
    assert (perfect["precision"], perfect["recall"], perfect["coverage"]) == (1.0, 1.0, 1.0)
    assert perfect["fid"] == pytest.approx(0.0, abs=1e-5)


def test_what_is_logged_of_the_critic() -> None:
    for config, evaluation in zip(configs("mlp_gan"), final("mlp_gan"), strict=True):
        metrics = evaluation.metrics
        assert all(np.isfinite(value) for value in metrics.values())
        assert ("lam_inert" in metrics) == (config.objective.name == "pr")
        if config.constraint.name == "spectral":
            assert metrics["critic_lipschitz"] == pytest.approx(2.0, rel=1e-4)
    losses = trained("mlp_gan").losses
    assert final("mlp_gan")[1].metrics["critic_loss"] == pytest.approx(float(losses[1, 0]))
    assert final("mlp_gan")[1].metrics["generator_loss"] == pytest.approx(float(losses[1, 1]))


def test_a_resumed_trial_repeats_its_evaluation() -> None:
    population = trained("mlp_gan")
    resumed = Population(configs("mlp_gan"), [population.state(i) for i in range(3)])
    for one, other in zip(evaluate(resumed, final=False), final("mlp_gan"), strict=True):
        assert one.metrics == pytest.approx(other.metrics, rel=1e-4, abs=1e-6)


def inert(lam: float, constraint: ConstraintConfig) -> float:
    # A flow starts as a broad Gaussian: some of its points lie on modes and some between them.
    config = trial(FLOW, ObjectiveConfig(lam=lam), constraint, iterations=40, critic_lr=1e-2, warmup=0)
    population = Population([config])
    population.advance(40)
    return evaluate(population, final=False)[0].metrics["lam_inert"]


@pytest.mark.parametrize("lam", [1e-3, 1e3])
def test_lam_is_inert_for_a_critic_that_cannot_reach_it(lam: float) -> None:
    # Logits within about 0.02 · diameter of each other never pass ±log 1000.
    assert inert(lam, ConstraintConfig("spectral", 0.02)) == 1.0


def test_lam_bites_for_a_free_critic() -> None:
    assert inert(1.0, ConstraintConfig()) == 0.0


def test_during_warm_up_nobody_says_lam_is_inert() -> None:
    population = Population([trial(FLOW, ObjectiveConfig(lam=1.0), warmup=10)])
    population.advance(3)
    metrics = evaluate(population, final=False)[0].metrics
    assert "lam_inert" not in metrics
    assert metrics["lam_below"] + metrics["lam_above"] == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("model", sorted(MODELS))
def test_a_diverged_trial_says_so_and_the_others_are_measured(model: str) -> None:
    wild = trial(MODELS[model], generator_lr=1e30, critic_lr=1e30)
    calm = trial(MODELS[model], ObjectiveConfig("gan"), seed=1)
    population = Population([wild, calm])
    population.advance(10)
    for at_end in (False, True):
        first, second = evaluate(population, final=at_end)
        assert first.diverged is not None
        assert first.diverged.startswith("diverged: samples or critic are not finite at iteration 10; lower")
        assert first.metrics == {}
        assert second.diverged is None
        assert second.metrics.keys() >= MEASURES


def test_evaluations_travel_between_processes() -> None:
    copy = pickle.loads(pickle.dumps(final("realnvp")[0]))
    assert copy.metrics == final("realnvp")[0].metrics
    assert isinstance(copy.samples["fake"], np.ndarray)


def test_data_on_a_line() -> None:
    population = Population([trial(MLP, dataset="mixture1d")])
    population.advance(3)
    evaluation = evaluate(population, final=True)[0]
    assert evaluation.samples["fake"].shape == (60, 1)
    assert len(evaluation.curve["lambda"]) == 101
