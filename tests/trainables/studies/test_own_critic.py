"""A critic trained alone: its generator stands still, its ratio comes to be right, and a budget keeps one draw in K."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import torch

from tests.trainables.studies.two_trials import CONFIGS, TRAINING
from trainables.config import TrainingConfig, TrialConfig
from trainables.datasets.digits import Digits
from trainables.models.dcgan import Dcgan
from trainables.objectives.fgan import Gan
from trainables.objectives.obrs import Obrs
from trainables.safetensors import read_tensors
from trainables.samplers.keeping import CARD, kept_samplers
from trainables.samplers.sampler import Sampler
from trainables.studies.own_critic import frozen, own_ratios, refined_draws
from trainables.training.population import Population


def test_generators_stand_still_where_they_were_measured(population: Population) -> None:
    alone = frozen(CONFIGS, population.states(), 20, 1e-3)
    before = alone.matrices["critic"].clone()
    torch.testing.assert_close(before, population.matrices["critic"], rtol=0, atol=0)
    alone.advance(20)
    for name in ("generator", "average"):
        torch.testing.assert_close(alone.matrices[name], population.matrices["average"], rtol=0, atol=0)
    assert (alone.matrices["critic"] != before).any(dim=1).all()


def test_statistics_of_a_generator_stand_still_too() -> None:
    training = TrainingConfig(iterations=6, batch_size=16, critic_steps=1)
    config = TrialConfig(Digits(size=16), Dcgan(latent=8, width=4), Gan(), training=training)
    population = Population([config])
    population.advance(6)
    (state,) = population.states()
    alone = frozen([config], [state], 5, 1e-3)
    before, critic = alone.sample(50, 0).x.clone(), alone.matrices["critic"].clone()
    alone.advance(5)
    assert torch.equal(alone.sample(50, 0).x, before)
    assert not torch.equal(alone.matrices["critic"], critic)
    (after,) = alone.states()
    names = [name for name in state if name.startswith("generator.")]
    assert names
    assert all(torch.equal(after[name], state[name]) for name in names)


def test_training_alone_raises_the_dual_bound_on_points_nobody_saw(population: Population) -> None:
    """E_P[T] - E_Q[f*(T)] of the GAN's divergence: the nearer the critic to log r, the higher, and at most 0."""

    def bounds(population: Population) -> torch.Tensor:
        real, fake = (population.log_ratio(x) for x in (population.real(4000, 7), population.sample(4000, 7)))
        return -(Gan().critic_loss(real, fake))

    before = frozen(CONFIGS, population.states(), 400, 3e-3)
    worst = bounds(before)
    before.advance(400)
    found = bounds(before)
    assert (found <= 0).all()
    assert (found > 0.9 * worst).all()


@pytest.mark.parametrize("budget", [1.0, 2.0, 5.0])
def test_a_budget_keeps_one_draw_in_k(population: Population, budget: float) -> None:
    alone = frozen(CONFIGS, population.states(), 50, 3e-3)
    alone.advance(50)
    for kept in refined_draws(alone, own_ratios(alone, 4000), budget, 20_000):
        # c comes from 8,192 other draws: its own error is added to that of the 20,000.
        assert len(kept) / 20_000 == pytest.approx(1 / budget, abs=5 * (0.25 / 8192 + 0.25 / 20_000) ** 0.5)


def test_ratios_make_the_file_that_samples_as_the_population_does(population: Population) -> None:
    alone = frozen(CONFIGS, population.states(), 50, 3e-3)
    alone.advance(50)
    ratios = own_ratios(alone, 4000)
    kept = refined_draws(alone, ratios, 2.0, 8000)
    for row, data in enumerate(kept_samplers(alone, ratios)):
        assert data is not None
        tensors, texts = read_tensors(data)
        drawn = Sampler(json.loads(texts[CARD]), tensors).draw(4000, budget=2.0)
        assert drawn.draws == pytest.approx(8000, rel=0.06)
        ours, theirs = kept[row], torch.from_numpy(drawn.samples)
        error = 6 * ours.std(dim=0) * (1 / len(ours) + 1 / len(theirs)) ** 0.5
        assert ((ours.mean(0) - theirs.mean(0)).abs() < error).all()


def test_a_trial_that_diverged_has_no_ratios_and_keeps_nothing(population: Population) -> None:
    states = population.states()
    states[1] = {**states[1], "critic": torch.full_like(states[1]["critic"], torch.nan)}
    alone = frozen(CONFIGS, states, 1, 1e-3)
    ratios = own_ratios(alone, 500)
    assert ratios[0] is not None
    assert ratios[1] is None
    assert [len(kept) > 0 for kept in refined_draws(alone, ratios, 2.0, 500)] == [True, False]


def test_critics_of_other_objectives_can_be_asked_for(population: Population) -> None:
    alone = frozen(CONFIGS, population.states(), 3, 1e-3, objective=Obrs(budget=4.0))
    assert {config.objective for config in alone.configs} == {Obrs(budget=4.0)}
    assert all(config.start is not None and config.start.critic == "kept" for config in alone.configs)
    assert replace(alone.configs[0], start=None, objective=Gan(), training=TRAINING) == CONFIGS[0]
