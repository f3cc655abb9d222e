"""Constraints are asked about networks before anything is trained."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import nn

from tests.trainables.training.members import small
from tests.trainables.training.trials import MLP, trial
from trainables.config import TrialConfig
from trainables.constraints import Constraint
from trainables.constraints.bjorck import Bjorck
from trainables.constraints.spectral import Spectral
from trainables.datasets.digits import Digits
from trainables.models import Model
from trainables.models.biggan import BigGan
from trainables.models.dcgan import Dcgan
from trainables.models.mlp_gan import MlpGan
from trainables.models.realnvp import RealNvp
from trainables.training.fits import check_fits
from trainables.training.population import Population


@pytest.mark.parametrize(
    ("model", "section", "constraint"),
    [
        (Dcgan(width=4), "constraint", Bjorck()),
        (Dcgan(width=4), "generator_constraint", Spectral()),
        (Dcgan(width=4, takes_lam=True), "constraint", Spectral()),
        (BigGan(), "constraint", Spectral()),
        (RealNvp(), "generator_constraint", Spectral()),
    ],
)
def test_networks_that_cannot_be_held_down_are_refused(
    model: Model, section: str, constraint: Constraint
) -> None:
    digits = Digits(size=32 if isinstance(model, BigGan) else 8)
    config = replace(TrialConfig(dataset=digits, model=model), **{section: constraint})  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match=rf"^constraint '{constraint.name}' needs .* of model '{model.name}' has others"
    ):
        check_fits(config)
    with pytest.raises(ValueError, match=rf"^constraint '{constraint.name}' needs"):
        Population([config])


@pytest.mark.parametrize(
    ("model", "section", "constraint"),
    [
        (Dcgan(width=4), "constraint", Spectral()),
        (Dcgan(width=4, batch_norm=False), "generator_constraint", Spectral()),
        (MlpGan(), "generator_constraint", Bjorck()),
        (BigGan(), "generator_constraint", None),
    ],
)
def test_others_are_not(model: Model, section: str, constraint: Constraint | None) -> None:
    config = TrialConfig(dataset=Digits(size=32), model=model)
    state = torch.get_rng_state()
    check_fits(config if constraint is None else replace(config, **{section: constraint}))  # type: ignore[arg-type]
    assert torch.equal(state, torch.get_rng_state())


def test_a_module_that_cannot_be_built_without_its_numbers_is_asked_in_training() -> None:
    built = []

    class Curious(MlpGan):
        def build_critic(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
            critic = super().build_critic(shape, classes)
            weights = next(critic.parameters())
            nn.init.constant_(weights, 3.0)
            built.append(bool((weights == 3.0).all()))
            if not built[-1]:
                raise RuntimeError("weights must be 3")
            return critic

    config = small(Curious(generator=(4,), critic=(4,)), constraint=Spectral())
    check_fits(config)
    assert built == [False], "nothing was written to the weights"
    Population([config])
    assert all(built[1:])


def test_without_a_constraint_that_looks_nothing_is_built() -> None:
    assert not trial(MLP).constraint.looks()
    assert Spectral.looks()
    check_fits(trial(MLP))
