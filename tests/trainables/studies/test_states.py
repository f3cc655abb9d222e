"""Studies go on from states that training leaves, and from those that files hold."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from tests.trainables.studies.two_trials import CONFIGS
from trainables.datasets.gaussians8 import Gaussians8
from trainables.models.mlp_gan import MlpGan
from trainables.samplers.keeping import kept_samplers
from trainables.start import Start
from trainables.studies.own_critic import frozen, own_ratios
from trainables.studies.states import live, state_of, trained
from trainables.training.population import Population


def test_states_at_the_end_are_those_that_training_leaves(population: Population) -> None:
    source, device = Gaussians8().source(), torch.device("cpu")
    ends = trained(CONFIGS, None, source, device)
    for end, state in zip(ends, population.states(), strict=True):
        assert torch.equal(end["generator"], state["generator"])
    following = [replace(config, start=Start.at(config, "kept")) for config in CONFIGS]
    later = trained(following, ends, source, device)
    assert not torch.equal(later[0]["generator"], ends[0]["generator"]), "they go on from where they were"


def test_the_generator_of_the_last_step_can_stand_in_for_the_average(population: Population) -> None:
    alone = frozen(CONFIGS, [live(state) for state in population.states()], 5, 1e-3)
    torch.testing.assert_close(alone.matrices["average"], population.matrices["generator"], rtol=0, atol=0)
    assert not torch.equal(population.matrices["generator"], population.matrices["average"])


def test_a_critic_goes_on_where_its_file_left_it(population: Population) -> None:
    alone = frozen(CONFIGS, population.states(), 20, 1e-3)
    alone.advance(20)
    files = kept_samplers(alone, own_ratios(alone, 1000))
    states = [state_of(config, data) for config, data in zip(CONFIGS, files, strict=True) if data is not None]
    again = frozen(CONFIGS, states, 5, 1e-3)
    for name in ("generator", "average", "critic"):
        torch.testing.assert_close(again.matrices[name], alone.matrices[name], rtol=0, atol=0)
    other = replace(CONFIGS[0], model=MlpGan(generator=(16, 32)))
    assert files[0] is not None
    with pytest.raises(ValueError, match=r"the file must have 'generator.*give its own model"):
        state_of(other, files[0])
