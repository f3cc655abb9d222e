"""Perceptrons of given widths, or of a size that stands for them."""

from __future__ import annotations

from typing import Any

import pytest
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


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"generator": ()}, "model.generator needs at least one hidden layer, got an empty list"),
        ({"critic": ()}, "model.critic needs at least one hidden layer, got an empty list"),
        ({"critic": (8, 0)}, "model.critic widths must be positive and finite, got 0"),
        ({"generator": (-1,)}, "model.generator widths must be positive and finite, got -1"),
        ({"latent": 0}, "model.latent must be positive and finite, got 0"),
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
