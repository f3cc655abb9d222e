"""A model is two modules; what it does not say has a sensible default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest
import torch
from torch import nn

from trainables.models import MODELS, Model


@dataclass(frozen=True)
class Smallest(Model):
    """No more than a model must say."""

    name: ClassVar[str] = "smallest"

    def build_generator(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        return nn.Linear(shape[0], shape[0])

    def build_critic(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        return nn.Sequential(nn.Linear(shape[0], 5), nn.BatchNorm1d(5), nn.Linear(5, 1))


@dataclass(frozen=True)
class Narrow(Smallest):
    """With a latent of its own."""

    latent: int = 7


def test_defaults() -> None:
    member = Smallest()
    assert (member.has_density, member.stacks, member.conditional) == (False, True, False)
    assert not member.takes_lam
    assert member.generator_penalty({"weight": torch.ones(2, 3, 3)}) is None
    assert member.latent_shape((3,)) == (3,)
    assert member.latent_shape((1, 4, 4)) == (1, 4, 4)
    assert Narrow().latent_shape((3,)) == (7,)
    member.check_data((1, 2, 3), 4)


def test_multiplications_are_not_guessed() -> None:
    assert Smallest().multiplications((3,), None) is None


@pytest.mark.parametrize("left_out", ["build_generator", "build_critic"])
def test_both_modules_must_be_built(left_out: str) -> None:
    methods = {"build_generator", "build_critic"} - {left_out}
    kind = type("Half", (Model,), {"name": "half", **{m: getattr(Smallest, m) for m in methods}})
    with pytest.raises(ValueError, match=f"Half must define {left_out}$"):
        MODELS.add(dataclass(frozen=True)(kind))
