"""A flow for points of at least two coordinates."""

from __future__ import annotations

from typing import Any

import pytest
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


@pytest.mark.parametrize("shape", [(1,), (1, 28, 28), (2, 2)])
def test_data_that_cannot_be_split_is_refused(shape: tuple[int, ...]) -> None:
    RealNvp().check_data((2,), None)
    with pytest.raises(ValueError, match=r".") as refusal:
        RealNvp().check_data(shape, None)
    assert str(refusal.value) == (
        f"model realnvp splits coordinates and needs points of at least 2, got data of shape {shape}; "
        "use another dataset, or model mlp_gan"
    )
