"""Draws of some trials, asked again: the same points, the same ratios, with gradients and from other latents."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from tests.trainables.samplers import trained as samplers
from tests.trainables.training.trials import FLOW, MLP, trial, varied
from trainables.evaluation.drawing import Drawing
from trainables.models import Model
from trainables.objectives.pr import PR
from trainables.refinements import Proposals
from trainables.refinements.dgflow import DGFlow
from trainables.samplers.trained import Trained
from trainables.sources.source import Batch
from trainables.training.population import Population
from trainables.training.trials import BLOCK

COUNT = BLOCK + 300


def as_it_is(log_ratio: Tensor) -> Tensor:
    return log_ratio


@pytest.fixture(scope="module", params=[MLP, FLOW], ids=["mlp_gan", "realnvp"])
def population(request: pytest.FixtureRequest) -> Population:
    model: Model = request.param
    population = Population(varied(model))
    population.advance(5)
    return population


@pytest.mark.parametrize("repeat", [0, 3])
def test_blocks_are_the_points_and_the_ratios_of_the_trials(population: Population, repeat: int) -> None:
    rows = [4, 0, 7]  # of other objectives, not in their order
    x = population.sample(COUNT, population.iteration, repeat).x[rows]
    expected = population.log_ratio(population.sample(COUNT, population.iteration, repeat))[rows]
    blocks = list(Drawing(population, rows, as_it_is, repeat).blocks(x))
    assert [block.points.shape[1] for block in blocks] == [BLOCK, 300]
    assert torch.equal(torch.cat([block.points for block in blocks], dim=1), x)
    with torch.no_grad():
        drawn = torch.cat([block.generate(block.latent) for block in blocks], dim=1)
        ratios = torch.cat([block.log_ratio(block.points) for block in blocks], dim=1)
    torch.testing.assert_close(drawn, x, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(ratios, expected, rtol=1e-4, atol=1e-4)


def test_whole_blocks_are_reproduced_to_the_last_bit(population: Population) -> None:
    rows = list(range(len(population.configs)))
    batch = population.sample(BLOCK, population.iteration)
    (block,) = Drawing(population, rows, as_it_is).blocks(batch.x)
    with torch.no_grad():
        assert torch.equal(block.generate(block.latent), batch.x)
        assert torch.equal(block.log_ratio(block.points), population.log_ratio(batch))


def test_the_ratio_is_calibrated(population: Population) -> None:
    rows, slope = [1, 2], torch.tensor([[0.5], [3.0]])
    x = population.sample(100, population.iteration).x
    (plain,) = Drawing(population, rows, as_it_is).blocks(x[rows])
    (other,) = Drawing(population, rows, lambda log_ratio: slope * log_ratio + 1).blocks(x[rows])
    with torch.no_grad():
        torch.testing.assert_close(other.log_ratio(other.points), slope * plain.log_ratio(plain.points) + 1)


def test_gradients_are_those_of_each_trial_alone(population: Population) -> None:
    rows = [3, 6]
    x = population.sample(60, population.iteration).x[rows]
    (both,) = Drawing(population, rows, as_it_is).blocks(x)
    at = both.latent.clone().requires_grad_()
    (together,) = torch.autograd.grad(both.log_ratio(both.generate(at)).sum(), at)
    assert bool(together.flatten(1).any(dim=1).all())
    for place, row in enumerate(rows):
        (one,) = Drawing(population, [row], as_it_is).blocks(x[place : place + 1])
        latent = one.latent.clone().requires_grad_()
        torch.testing.assert_close(one.latent[0], both.latent[place])
        (alone,) = torch.autograd.grad(one.log_ratio(one.generate(latent)).sum(), latent)
        torch.testing.assert_close(alone[0], together[place], rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(one.normal(2)[0], both.normal(2)[place])
    names = dict(population.networks.generator.shapes)
    assert names, "parameters have no gradients"
    assert all(not values.requires_grad for values in population.final_generator().values())


def test_every_trial_is_asked_at_its_own_trade_off() -> None:
    model = replace(MLP, takes_lam=True)
    population = Population([trial(model, PR(lam=lam), seed=1) for lam in (0.1, 1.0, 20.0)])
    population.advance(5)
    batch = population.sample(200, population.iteration)
    rows = [2, 0]
    (block,) = Drawing(population, rows, as_it_is).blocks(batch.x[rows])
    with torch.no_grad():
        torch.testing.assert_close(block.generate(block.latent), batch.x[rows])
        torch.testing.assert_close(block.log_ratio(block.points), population.log_ratio(batch)[rows])
    assert not torch.allclose(batch.x[0], batch.x[2])


def test_draws_of_another_repeat_have_other_latents_and_noise(population: Population) -> None:
    x = population.sample(BLOCK + 1, population.iteration).x[[0]]
    found = []
    for repeat in (0, 1):
        first, second = Drawing(population, [0], as_it_is, repeat).blocks(x)
        found += [first.latent[0, 0], second.latent[0, 0], first.normal(0)[0, 0], first.normal(1)[0, 0]]
        found.append(second.normal(0)[0, 0])
    numbers = torch.stack(found)
    assert len(numbers.unique(dim=0)) == len(found)


def test_moves_do_not_depend_on_how_many_samples_are_asked_for(population: Population) -> None:
    """Noise belongs to a draw, as its latent does: a longer evaluation begins with the samples of a shorter one."""
    x = population.sample(COUNT, population.iteration).x[[0, 1]]
    few, many = (list(Drawing(population, [0, 1], as_it_is).blocks(x[:, :n])) for n in (200, COUNT))
    for step in (0, 5):
        assert few[0].normal(step).shape == few[0].latent.shape
        assert torch.equal(few[0].normal(step), many[0].normal(step)[:, :200])
        assert many[1].normal(step).shape == many[1].latent.shape


@pytest.mark.parametrize("kind", ["points", "lam"])
def test_a_sweep_and_a_sampler_move_the_same_draws_alike(kind: str) -> None:
    """The trial's own seed: what was read of a flow, with its noise, is what its sampler makes."""
    population, _, file = samplers.trained(kind)
    made = samplers.sampler(file)
    slope = made._scale / float(population.objective.slopes()[0])
    x = population.sample(600, population.iteration)
    drawing = Drawing(population, [0], lambda log_ratio: slope * log_ratio)
    pool = Proposals(
        x.x[0],
        population.log_ratio(x)[0],
        torch.ones(600),
        None,
        lambda count: drawing.blocks(x.x[:, :count]),
    )
    method = DGFlow(budgets=(5.0,), rate=0.05, noise=0.3)
    (found,) = method.refine(pool, 600)
    block = next(iter(Trained(made).pools(3))).block
    assert block is not None
    with torch.no_grad():
        moved = method.moved(block, torch.empty(1, 0), 5.0)[0, :600]
    torch.testing.assert_close(found.points, moved, rtol=1e-3, atol=1e-3)
    assert not torch.allclose(found.points, x.x[0], atol=0.05)


def test_classes_of_draws_are_those_they_are_moved_and_scored_for(tmp_path: Path) -> None:
    (tmp_path / "tagged.py").write_text(samplers.TAGGED)
    population = samplers.of_config(samplers.KINDS["tagged"], tmp_path).population
    batch = population.sample(BLOCK + 40, population.iteration)
    assert batch.y is not None
    for number, block in enumerate(Drawing(population, [0], as_it_is).blocks(batch.x)):
        part = slice(number * BLOCK, number * BLOCK + block.points.shape[1])
        own = Batch(batch.x[:, part], batch.y[:, part])
        with torch.no_grad():
            torch.testing.assert_close(block.generate(block.latent), own.x)
            torch.testing.assert_close(block.log_ratio(own.x), population.log_ratio(own))
            wrong = Batch(own.x, (own.y + 1) % 10 if own.y is not None else None)
            assert not torch.allclose(block.log_ratio(own.x), population.log_ratio(wrong))
