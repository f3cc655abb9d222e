"""A trial's trajectory is its own: the same alone, in any pack, and across any interruption."""

from __future__ import annotations

from functools import cache

import pytest
import torch

from tests.trainables.training.trials import FLOW, MLP, MODELS, objectives, trial, varied
from trainables.config import TrialConfig
from trainables.constraints.spectral import Spectral
from trainables.datasets.mixture1d import Mixture1d
from trainables.objectives import OBJECTIVES
from trainables.objectives.fgan import KL, Gan
from trainables.objectives.flow_gan import FlowGan
from trainables.objectives.mle import MaximumLikelihood
from trainables.objectives.pr import PR
from trainables.training.population import Population

ITERATIONS = 30


def trained(configs: list[TrialConfig], iterations: int = ITERATIONS) -> Population:
    population = Population(configs)
    population.advance(iterations)
    return population


@cache
def pack(model: str) -> Population:
    return trained(varied(MODELS[model]))


@pytest.mark.parametrize("model", sorted(MODELS))
def test_every_objective_trains(model: str) -> None:
    population = pack(model)
    assert {c.objective.name for c in population.configs} == (
        set(OBJECTIVES) if model == "realnvp" else set(OBJECTIVES) - {"mle", "flow_gan"}
    )
    assert population.losses.shape == (len(population.configs), 2)
    assert bool((population.losses[:, 0] != 0).all())
    start = Population(varied(MODELS[model]))
    for name, matrix in population.matrices.items():
        assert torch.isfinite(matrix).all(), name
    moved = {
        name: (population.matrices[name] != start.matrices[name]).any(dim=1) for name in population.matrices
    }
    assert bool(moved["critic"].all())
    # min(λ r̂, 1) has a gradient only where λ r̂ < 1; a flow is warmed up by likelihood besides.
    has_lam = torch.tensor([isinstance(c.objective, PR) for c in population.configs])
    taught = ~has_lam | (population.matrices["sides"][:, 0] > 0) | (model == "realnvp")
    assert int(taught.sum()) >= len(taught) - 2
    assert torch.equal(moved["generator"], taught)


@pytest.mark.parametrize("model", sorted(MODELS))
def test_alone_and_in_a_pack_are_the_same_trial(model: str) -> None:
    together = pack(model)
    # A free and a constrained trial, the likelihood where there is one, and the last.
    names = [c.objective.name for c in together.configs]
    chosen = {0, 1, 5, len(names) - 1} | ({names.index("mle")} if "mle" in names else set())
    for index in sorted(chosen):
        alone = trained([varied(MODELS[model])[index]])
        for name, matrix in alone.matrices.items():
            torch.testing.assert_close(
                together.matrices[name][index],
                matrix[0],
                rtol=1e-3,
                atol=1e-5,
                msg=lambda text, where=(names[index], name): f"{where}: {text}",
            )


@pytest.mark.parametrize("model", sorted(MODELS))
def test_a_resumed_trial_goes_on_exactly(model: str) -> None:
    configs = varied(MODELS[model])[:6]
    whole = trained(configs)
    first = trained(configs, 13)
    states = [first.state(i) for i in range(len(configs))]
    first.advance(1)  # a state is a copy: what happens later does not change it
    second = Population(configs, states)
    assert second.iteration == 13
    torch.testing.assert_close(second.losses, torch.stack([s["losses"] for s in states]), rtol=0, atol=0)
    second.advance(ITERATIONS - 13)
    assert second.iteration == whole.iteration == ITERATIONS
    for name, matrix in whole.matrices.items():
        torch.testing.assert_close(second.matrices[name], matrix, rtol=0, atol=0, msg=name)
    for index in range(len(configs)):
        assert torch.equal(second.state(index)["constraint"], whole.state(index)["constraint"])


def test_a_pack_can_be_taken_apart_and_mixed() -> None:
    configs = varied(MLP)[:4]
    first = trained(configs, 10)
    mixed = Population([configs[3], configs[1]], [first.state(3), first.state(1)])
    first.advance(10)
    mixed.advance(10)
    for name, matrix in mixed.matrices.items():
        torch.testing.assert_close(matrix, first.matrices[name][[3, 1]], rtol=1e-3, atol=1e-5, msg=name)


def test_strides_do_not_matter() -> None:
    one, other = Population(varied(MLP)[:2]), Population(varied(MLP)[:2])
    one.advance(8)
    for stride in (1, 0, 4, 3):
        other.advance(stride)
    for name, matrix in one.matrices.items():
        torch.testing.assert_close(other.matrices[name], matrix, rtol=0, atol=0, msg=name)


def test_some_trials_are_kept_where_they_stand() -> None:
    configs = varied(MLP)[:4]
    population = trained(configs, 6)
    kept = population.keep([2, 0])
    assert kept.configs == [configs[2], configs[0]]
    assert kept.iteration == 6
    for name, matrix in kept.matrices.items():
        assert torch.equal(matrix, population.matrices[name][[2, 0]])
    kept.advance(4)
    assert population.iteration == 6


@pytest.mark.parametrize("model", sorted(MODELS))
def test_a_diverging_trial_does_not_disturb_its_neighbours(model: str) -> None:
    calm = [
        trial(MODELS[model], constraint=Spectral(lipschitz=2.0)),
        trial(MODELS[model], KL(), seed=1),
    ]
    wild = trial(MODELS[model], generator_lr=1e30, critic_lr=1e30)
    clean, spoilt = trained(calm, 15), trained([calm[0], wild, calm[1]], 15)
    assert not torch.isfinite(spoilt.sample(50).x[1]).all()
    for name, matrix in clean.matrices.items():
        torch.testing.assert_close(spoilt.matrices[name][[0, 2]], matrix, rtol=1e-4, atol=1e-6, msg=name)


def test_seeds_and_learning_rates_make_a_difference() -> None:
    base = trained([trial(), trial(seed=1), trial(generator_lr=3e-3), trial(critic_lr=9e-3)], 5)
    rows = base.matrices["generator"]
    assert not torch.allclose(rows[0], rows[1])
    assert not torch.allclose(rows[0], rows[2])
    assert not torch.allclose(rows[0], rows[3], rtol=1e-6, atol=1e-8)


def test_warm_up_is_likelihood_alone() -> None:
    configs = [
        trial(FLOW, PR(lam=0.1, warmup=6)),
        trial(FLOW, PR(lam=10.0, warmup=6)),
        trial(FLOW, MaximumLikelihood()),
    ]
    population = trained(configs, 6)
    rows = population.matrices["generator"]
    torch.testing.assert_close(rows[0], rows[1], rtol=0, atol=0)
    torch.testing.assert_close(rows[0], rows[2], rtol=0, atol=0)
    assert bool((population.matrices["sides"] == 0).all())  # λ has trained nothing yet
    assert population.lam_sides().isnan().all()
    population.advance(1)
    rows = population.matrices["generator"]
    assert not torch.equal(rows[0], rows[1])
    assert not torch.equal(rows[0], rows[2])
    torch.testing.assert_close(population.lam_sides()[:2].sum(dim=1), torch.ones(2), rtol=0, atol=1e-6)


def test_all_lam_of_a_seed_share_the_part_that_covers() -> None:
    members = [PR(lam=lam, form="step", cover=0.5) for lam in (0.3, 1.0, 20.0)]
    population = trained([trial(MLP, member, iterations=20) for member in members], 10)
    rows = population.matrices["generator"]
    torch.testing.assert_close(rows[0], rows[1], rtol=0, atol=0)
    torch.testing.assert_close(rows[0], rows[2], rtol=0, atol=0)
    assert population.lam_sides().isnan().all()
    population.advance(1)
    rows = population.matrices["generator"]
    assert not torch.equal(rows[0], rows[1])
    assert not torch.equal(rows[1], rows[2])
    torch.testing.assert_close(population.lam_sides().sum(dim=1), torch.ones(3), rtol=0, atol=1e-6)
    other = trained([trial(MLP, members[0], iterations=40)], 11).matrices["generator"][0]
    primal = trained([trial(MLP, PR(lam=0.2, form="primal"), iterations=40)], 11).matrices["generator"][0]
    torch.testing.assert_close(other, primal, rtol=0, atol=0)


def test_likelihood_rises_under_maximum_likelihood() -> None:
    population = Population([trial(FLOW, MaximumLikelihood(), generator_lr=1e-2, iterations=60)])
    real = population.real(500)
    before = float(population.log_prob(real).mean())
    population.advance(60)
    assert float(population.log_prob(real).mean()) > before + 0.3


def test_weight_of_the_likelihood_is_felt() -> None:
    weights = (0.0, 0.1, 1.0)
    configs = [trial(FLOW, Gan(likelihood=w, warmup=0)) for w in weights]
    rows = trained(configs, 3).matrices["generator"]
    assert not torch.equal(rows[0], rows[1])
    assert not torch.equal(rows[1], rows[2])
    same = trained([configs[1], trial(FLOW, FlowGan(warmup=0))], 3).matrices["generator"]
    torch.testing.assert_close(same[0], same[1], rtol=0, atol=0)


def test_the_average_trails_the_generator() -> None:
    population = Population([trial(ema=0.75), trial(ema=0.0, seed=1)])
    average = population.matrices["average"].clone()
    for _ in range(4):
        population.advance(1)
        live = population.matrices["generator"]
        keep = torch.tensor([[0.75], [0.0]])
        average = keep * average + (1 - keep) * live
        torch.testing.assert_close(population.matrices["average"], average)
    torch.testing.assert_close(population.matrices["average"][1], live[1], rtol=0, atol=0)


def test_on_a_line_too() -> None:
    population = trained([trial(dataset=Mixture1d(), objective=o) for o in objectives(MLP)[:3]], 3)
    assert population.sample(10).x.shape == (3, 10, 1)
    assert torch.isfinite(population.matrices["generator"]).all()


def test_learning_rates_fall_to_nothing_over_the_decay() -> None:
    constant, falling = trial(iterations=20, decay=0.0), trial(iterations=20, decay=0.5)
    population = Population([constant, falling])
    population.advance(10)
    rows = population.matrices["generator"]
    torch.testing.assert_close(rows[0], rows[1])  # alike until the decay begins
    steps = []
    for _ in range(10):
        before = rows.clone()
        population.advance(1)
        steps.append((rows - before).norm(dim=1))
    assert float(steps[-1][1]) < 0.25 * float(steps[-1][0])
    assert float(steps[-1][1]) > 0
