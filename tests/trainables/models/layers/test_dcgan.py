"""DCGAN's networks: layers in a row, signals that neither fade nor grow, normalisation where it belongs."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from trainables.models.layers.dcgan import DCGANCritic, DCGANGenerator, LamDCGANCritic
from trainables.models.layers.strided import StridedConv, StridedTransposed


def test_channels_are_those_of_the_pyramid() -> None:
    generator, critic = DCGANGenerator(6, 4, (3, 32, 32), batch_norm=True), DCGANCritic(4, (3, 32, 32))
    grown = [(m.in_channels, m.out_channels) for m in generator.modules() if isinstance(m, StridedTransposed)]
    shrunk = [(m.in_channels, m.out_channels) for m in critic.modules() if isinstance(m, StridedConv)]
    assert grown == [(16, 8), (8, 4), (4, 3)]
    assert shrunk == [(3, 4), (4, 8), (8, 16)]


@pytest.mark.parametrize("side", [8, 28, 64])
def test_images_of_every_side(side: int) -> None:
    x = DCGANGenerator(6, 4, (1, side, side), batch_norm=False)(torch.randn(3, 6))
    assert x.shape == (3, 1, side, side)
    assert DCGANCritic(4, (1, side, side))(x).shape == (3, 1)


def test_only_the_generator_is_normalised_and_only_if_asked() -> None:
    def norms(module: nn.Module) -> int:
        return sum(isinstance(m, nn.BatchNorm2d) for m in module.modules())

    assert norms(DCGANGenerator(6, 4, (3, 32, 32), batch_norm=True)) == 3
    assert norms(DCGANGenerator(6, 4, (3, 32, 32), batch_norm=False)) == 0
    assert norms(DCGANCritic(4, (3, 32, 32))) == 0


@pytest.mark.parametrize("width", [4, 32])
def test_signals_keep_their_size_at_any_width(width: int) -> None:
    torch.manual_seed(0)
    x = DCGANGenerator(16, width, (3, 32, 32), batch_norm=False)(torch.randn(64, 16))
    assert 0.2 < float(x.detach().std()) < 0.9
    logits = DCGANCritic(width, (3, 32, 32))(torch.randn(64, 3, 32, 32))
    assert 0.1 < float(logits.detach().std()) < 10


def test_a_critic_is_layers_in_a_row() -> None:
    kinds = {StridedConv, nn.LeakyReLU, nn.Flatten, nn.Linear}
    assert {type(layer) for layer in DCGANCritic(4, (3, 32, 32))} == kinds


def test_lam_begins_without_effect_and_can_have_one() -> None:
    torch.manual_seed(0)
    x, z = torch.randn(3, 1, 8, 8), torch.randn(3, 6)
    low, high = torch.full((3,), -2.0), torch.full((3,), 2.0)
    generator = DCGANGenerator(6, 4, (1, 8, 8), batch_norm=True, takes_lam=True)
    for module, inputs in ((generator, z), (LamDCGANCritic(4, (1, 8, 8)), x)):
        assert torch.equal(module(inputs, low), module(inputs, high))
        with torch.no_grad():
            for film in module.films:  # type: ignore[union-attr]
                nn.init.normal_(film.weight)
        assert not torch.allclose(module(inputs, low), module(inputs, high))
