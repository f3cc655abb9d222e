"""BigGAN: the thesis' numbers of parameters, its penalty, its refusals, and that it trains with classes and without."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn

from explorer.sweep.members import build_member
from tests.trainables.models.pictures import Pictures
from tests.trainables.training.trials import trial
from trainables.models import MODELS
from trainables.models.biggan import BigGan
from trainables.objectives.hinge import Hinge
from trainables.training.population import Population
from trainables.training.stack import Stack


def parameters(module: nn.Module) -> int:
    return sum(p.numel() for p in module.parameters())


@pytest.mark.parametrize(
    ("side", "classes", "printed"), [(32, 10, (4.3e6, 4.2e6)), (64, None, (32.0e6, 19.5e6))]
)
def test_the_thesis_has_as_many_parameters(
    side: int, classes: int | None, printed: tuple[float, float]
) -> None:
    # Vérine 2024, C.1.4: CIFAR-10 with its classes, CelebA without.
    member = build_member(MODELS, {"name": "biggan", "size": "thesis"}, "model")
    assert member == BigGan()
    with torch.device("meta"):
        generator, critic = (
            build((3, side, side), classes) for build in (member.build_generator, member.build_critic)
        )
    for module, number in zip((generator, critic), printed, strict=True):
        assert round(parameters(module) / 1e6, 1) == pytest.approx(number / 1e6)


def test_what_the_thesis_did_not_use_would_show_in_the_numbers() -> None:
    with torch.device("meta"):
        shared = BigGan(shared=128, hierarchical=True).build_generator((3, 32, 32), 10)
    assert round(parameters(shared) / 1e6, 1) == 4.4


def test_the_penalty_is_of_every_trial_and_of_weights_alone() -> None:
    member = BigGan(latent=8, width=2, shared=3, orthogonal=1e-2)
    stack = Stack(lambda: member.build_generator((1, 32, 32), 3))
    flat, _ = stack.initial([0, 1], torch.device("cpu"))
    own = stack.unflatten(flat.requires_grad_())
    found = member.generator_penalty(own)
    assert found is not None
    assert found.shape == (2,)
    by_hand = torch.zeros(2)
    for row in range(2):
        for name, values in own.items():
            if values.ndim > 2 and "embedding" not in name:
                matrix = values[row].reshape(values.shape[1], -1)
                products = (matrix @ matrix.T).square()
                by_hand[row] += 1e-2 * (products.sum() - products.diagonal().sum())
    torch.testing.assert_close(found, by_hand, rtol=1e-4, atol=1e-6)
    (gradient,) = torch.autograd.grad(found.sum(), flat)
    reached = {name: bool(g.any()) for name, g in stack.unflatten(gradient).items()}
    assert reached["project.weight"]
    assert reached["blocks.0.conv1.weight"]
    assert not reached["shared_embedding.weight"]
    assert not reached["last.0.weight"]


def test_no_weight_no_penalty() -> None:
    assert BigGan().generator_penalty({"weight": torch.ones(1, 2, 2)}) is None


@pytest.mark.parametrize("labelled", [True, False])
def test_it_trains_with_classes_and_without(labelled: bool) -> None:
    member = BigGan(latent=8, width=2, shared=3, hierarchical=True, attention=8)
    config = trial(member, Hinge(), dataset=Pictures(side=32, labelled=labelled), batch_size=4)
    population = Population([config])
    before = population.matrices["generator"].clone()
    population.advance(1)
    assert not torch.equal(before, population.matrices["generator"])
    assert population.networks.conditional == labelled
    assert torch.isfinite(population.losses).all()


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"width": 0}, "model.width must be positive and finite, got 0"),
        ({"shared": -1}, "model.shared must be ≥ 0, got -1; use 0 for no shared embedding"),
        (
            {"hierarchical": True},
            "model.hierarchical puts parts of the latent beside a shared embedding, got model.shared = 0; use 128",
        ),
        ({"orthogonal": -1.0}, "model.orthogonal must be from 0 to 1e6, got -1.0; the paper has 1e-4"),
    ],
)
def test_refusals(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        BigGan(**fields)
    assert str(refusal.value) == sentence


@pytest.mark.parametrize(
    ("fields", "side", "sentence"),
    [
        ({}, 28, "laid out for images of side 32, 64 or 128, got 28; use dataset size 32"),
        (
            {"attention": 32},
            32,
            "model.attention must be a side inside the networks, 8, 16, or 0 for none, got 32",
        ),
        (
            {"shared": 8, "hierarchical": True},
            64,
            "multiple of 5 to be split over the blocks, got 128; use 125",
        ),
    ],
)
def test_data_that_does_not_fit(fields: dict[str, Any], side: int, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        replace(BigGan(), **fields).check_data((3, side, side), 10)
