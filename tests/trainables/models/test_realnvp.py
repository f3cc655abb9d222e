"""A flow for points of at least two coordinates."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from explorer.sweep.members import build_member
from trainables.models import MODELS
from trainables.models.layers.couplings import RealNVP
from trainables.models.realnvp import RealNvp


def test_modules_have_the_sizes_they_are_given() -> None:
    member = RealNvp(critic=(7,), couplings=3, width=5)
    flow = member.build_generator((4,), None)
    assert isinstance(flow, RealNVP)
    assert len(flow.couplings) == 3
    hidden = [layer.out_features for layer in flow.couplings[0].modules() if isinstance(layer, nn.Linear)]
    assert hidden == [5, 5, 4]
    assert member.latent_shape((4,)) == (4,)
    assert member.has_density


@pytest.mark.parametrize("dim", [2, 4, 6])
def test_multiplications_are_the_weights_of_the_layers(dim: int) -> None:
    member = RealNvp(critic=(7,), couplings=3, width=5)
    expected = [
        sum(p.numel() for p in module.parameters() if p.ndim == 2)
        for module in (member.build_generator((dim,), None), member.build_critic((dim,), None))
    ]
    assert list(member.multiplications((dim,), None)) == expected


def test_a_size_is_the_critics() -> None:
    assert build_member(MODELS, {"name": "realnvp", "size": "thesis"}, "model") == RealNvp(
        critic=(1024, 512, 256)
    )


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"critic": ()}, "model.critic needs at least one hidden layer, got an empty list"),
        ({"width": -1}, "model.width must be positive and finite, got -1"),
        ({"couplings": 1}, "model.couplings must be ≥ 2 so that every coordinate moves, got 1"),
    ],
)
def test_refusals(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        RealNvp(**fields)
    assert str(refusal.value) == sentence


@pytest.mark.parametrize("shape", [(1,), (2, 2)])
def test_data_that_cannot_be_split_is_refused(shape: tuple[int, ...]) -> None:
    RealNvp().check_data((2,), None)
    with pytest.raises(ValueError, match=r".") as refusal:
        RealNvp().check_data(shape, None)
    assert str(refusal.value) == (
        f"model realnvp splits coordinates and needs images, or points of at least 2, got data of shape {shape}; "
        "use another dataset, or model residual"
    )


def test_points_have_the_flow_and_the_identity_they_always_had() -> None:
    # Trials of earlier versions are found again only if both stay.
    assert RealNvp(width=32, couplings=3).signature() == ["realnvp", 1, {"width": 32, "couplings": 3}]
    torch.manual_seed(0)
    flow = RealNvp(couplings=2, width=4).build_generator((2,), None)
    assert isinstance(flow, RealNVP)
    assert [name for name, _ in flow.named_parameters()][:2] == [
        "couplings.0.net.0.weight",
        "couplings.0.net.0.bias",
    ]
    torch.manual_seed(0)
    assert torch.equal(next(flow.parameters()), nn.Linear(1, 4).weight)


def test_images_are_taken_at_sides_that_can_be_halved() -> None:
    RealNvp(levels=2).check_data((1, 28, 28), None)
    with pytest.raises(ValueError, match=r"multiples of 8, got 28 × 28; use fewer levels"):
        RealNvp(levels=3).check_data((1, 28, 28), None)
    with pytest.raises(ValueError, match=r"model\.levels must be positive"):
        RealNvp(levels=0)
