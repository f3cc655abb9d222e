"""Cost follows from the sizes in a config: counted by hand, and growing with each of them."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from typing import Any

import pytest

from explorer.errors import UserError
from explorer.launch.cost import flops, work
from trainables.config import TrainingConfig, TrialConfig
from trainables.models import Model
from trainables.models.mlp_gan import MlpGan
from trainables.models.realnvp import RealNvp


def test_an_iteration_is_counted_by_hand() -> None:
    config = TrialConfig(
        model=MlpGan(generator=(3,), critic=(5,), latent=2),
        training=TrainingConfig(batch_size=10, critic_steps=2),
    )
    generator, critic = 2 * 3 + 3 * 2, 2 * 5 + 5 * 1
    assert flops(config) == 10 * (2 * (2 * 6 * critic + 2 * generator) + 6 * (generator + critic))


def test_iterations_of_the_critic_alone_have_no_generator_step() -> None:
    config = TrialConfig(training=TrainingConfig(iterations=10, critic_first=4, critic_steps=2))
    whole, alone = flops(config), flops(config, whole=False)
    assert whole is not None
    assert alone is not None
    assert alone < whole
    assert alone == 2 * flops(replace(config, training=TrainingConfig(critic_steps=1)), whole=False)  # type: ignore[operator]
    assert work(config, 0, 10) == 4 * alone + 6 * whole
    assert work(config, 3, 7) == alone + 3 * whole
    assert work(config, 6, 7) == whole


@pytest.mark.parametrize("model", [MlpGan(), RealNvp()])
def test_it_is_linear_in_the_batch_and_does_not_count_iterations(model: MlpGan | RealNvp) -> None:
    config = TrialConfig(model=model)
    assert flops(replace(config, training=TrainingConfig(batch_size=512))) == 2 * flops(config) > 0
    assert flops(replace(config, training=TrainingConfig(iterations=1))) == flops(config)


def test_a_model_that_does_not_tell_is_not_guessed_at() -> None:
    class Silent(MlpGan):
        multiplications = Model.multiplications

    assert flops(TrialConfig(model=Silent())) is None


def test_wider_networks_cost_more() -> None:
    assert flops(TrialConfig(model=MlpGan(generator=(64, 64)))) > flops(TrialConfig())
    assert flops(TrialConfig(model=RealNvp(couplings=8))) > flops(TrialConfig(model=RealNvp()))


@pytest.mark.parametrize(
    "given", [3, (1, 2, 3), ("a", 1), (nan, 1), (-1, 1), ZeroDivisionError("no"), SystemExit(0)]
)
def test_a_model_that_tells_nonsense_is_named(given: object) -> None:
    class Odd(MlpGan):
        def multiplications(self, shape: tuple[int, ...], classes: int | None) -> Any:
            if isinstance(given, BaseException):
                raise given
            return given

    with pytest.raises(
        UserError,
        match=r"multiplications\(\) of model 'mlp_gan' must give two numbers or None, (but it raised|got)",
    ):
        flops(TrialConfig(model=Odd()))
