"""Perceptrons of given widths, or of a size that stands for them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from explorer.sweep.members import build_member
from trainables.models import MODELS
from trainables.models.mlp_gan import SIZES, MlpGan, check_widths, layer_weights


def widths(module: nn.Module) -> list[int]:
    layers = [layer for layer in module.modules() if isinstance(layer, nn.Linear)]
    return [layers[0].in_features, *(layer.out_features for layer in layers)]


def test_modules_have_the_widths_they_are_given() -> None:
    member = MlpGan(generator=(5, 6), critic=(7,), latent=3)
    assert widths(member.build_generator((2,), None)) == [3, 5, 6, 2]
    assert widths(member.build_critic((2,), None)) == [2, 7, 1]
    assert widths(member.build_generator((1, 4, 4), None)) == [3, 5, 6, 16]
    assert member.latent_shape((2,)) == (3,)


def test_multiplications_are_the_weights_of_the_layers() -> None:
    member = MlpGan(generator=(5, 6), critic=(7,), latent=3)
    assert member.multiplications((2,), None) == (3 * 5 + 5 * 6 + 6 * 2, 2 * 7 + 7)
    assert layer_weights(2, 3, 4) == 18.0


def test_the_thesis_has_the_widths_of_its_appendix() -> None:
    # Vérine 2024, C.2.1.
    assert SIZES["thesis"] == {"generator": (256, 512, 1024), "critic": (1024, 512, 256)}
    assert build_member(MODELS, {"size": "thesis"}, "model") == MlpGan(
        generator=(256, 512, 1024), critic=(1024, 512, 256)
    )
    assert build_member(MODELS, {"size": "small"}, "model") == MlpGan()
    assert build_member(MODELS, {"size": "medium", "critic": [9]}, "model") == MlpGan(
        generator=(64, 64), critic=(9,)
    )


def test_the_landscape_of_mnist_has_the_widths_of_its_appendix() -> None:
    # Vérine 2024, C.2.3: 100-256-512-1024-784 and 784-1024-512-256-1 with leaky ReLUs, 1.5 million parameters each.
    member = build_member(MODELS, {"size": "thesis", "latent": 100, "slope": 0.2, "bounded": True}, "model")
    shape = (1, 28, 28)
    member.check_data(shape, 10)
    generator, critic = member.build_generator(shape, 10), member.build_critic(shape, 10)
    assert widths(generator) == [100, 256, 512, 1024, 784]
    assert widths(critic) == [784, 1024, 512, 256, 1]
    for module in (generator, critic):
        assert sum(p.numel() for p in module.parameters()) == pytest.approx(1.5e6, rel=0.03)
        slopes = [layer.negative_slope for layer in module.modules() if isinstance(layer, nn.LeakyReLU)]
        assert slopes == [0.2] * 3


def test_bounded_images_stay_within_their_range_and_others_need_not() -> None:
    z, shape = 100 * torch.randn(50, 3), (1, 4, 4)
    plain, bounded = (MlpGan(latent=3, bounded=end).build_generator(shape, None) for end in (False, True))
    assert float(plain(z).detach().abs().max()) > 1
    bounded.load_state_dict(plain.state_dict())
    torch.testing.assert_close(bounded(z), torch.tanh(plain(z)))


def test_new_fields_leave_identities_and_parameters_as_they_were() -> None:
    assert MlpGan().signature() == ["mlp_gan", 1, {}]
    names = [name for name, _ in MlpGan(critic=(5,)).build_critic((2,), None).named_parameters()]
    assert names == ["0.weight", "0.bias", "2.weight", "2.bias"]
    assert MlpGan(takes_lam=True).signature() == ["mlp_gan", 1, {"takes_lam": True}]


def test_points_are_not_bounded() -> None:
    with pytest.raises(
        ValueError, match=r"^model\.bounded is for images in \[-1, 1\], got points of shape \(2,\)"
    ):
        MlpGan(bounded=True).check_data((2,), None)
    MlpGan(bounded=True).check_data((3, 8, 8), None)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"generator": ()}, "model.generator needs at least one hidden layer, got an empty list"),
        ({"critic": ()}, "model.critic needs at least one hidden layer, got an empty list"),
        ({"critic": (8, 0)}, "model.critic widths must be positive and finite, got 0"),
        ({"generator": (-1,)}, "model.generator widths must be positive and finite, got -1"),
        ({"latent": 0}, "model.latent must be positive and finite, got 0"),
        (
            {"slope": 1.5},
            "model.slope must be from 0 (ReLU) to 1 (linear), got 1.5; leaky ReLUs have 0.2",
        ),
    ],
)
def test_refusals(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        MlpGan(**fields)
    assert str(refusal.value) == sentence


def test_widths_are_checked_by_name() -> None:
    check_widths("thing", (1, 2))
    with pytest.raises(ValueError, match=r"^model\.thing needs at least one hidden layer"):
        check_widths("thing", ())
