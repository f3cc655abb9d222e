"""A sampler's file: what is in it, what it weighs, and whose ratios are missing."""

from __future__ import annotations

import json

import pytest

from tests.trainables.samplers.trained import trained
from trainables.safetensors import read_tensors
from trainables.samplers.keeping import CARD, RATIOS, kept_samplers, kept_size


def test_it_has_the_networks_as_they_were_evaluated() -> None:
    population, _, file = trained("held")
    tensors, texts = read_tensors(file)
    final = population.final_critic()
    names = {f"generator.{name}" for name in population.final_generator()} | {
        f"critic.{name}" for name in final
    }
    assert names | {RATIOS} == set(tensors)
    for name, values in final.items():
        assert (tensors[f"critic.{name}"] == values[0].numpy()).all()
    card = json.loads(texts[CARD])
    assert card["trial"] == population.configs[0].identity()
    assert card["config"] == json.loads(json.dumps(population.configs[0].plain()))
    assert card["members"]["constraint"]["class"] == "Bjorck"


def test_a_trial_without_ratios_has_none() -> None:
    population, evaluation, file = trained("points")
    assert kept_samplers(population, [None]) == [None]
    assert kept_samplers(population, [evaluation.ratios]) == [file]


@pytest.mark.parametrize("kind", ["points", "images"])
def test_its_size_is_known_before_it_is_made(kind: str) -> None:
    population, _, file = trained(kind)
    assert kept_size(population) < len(file) < kept_size(population) + 60_000
