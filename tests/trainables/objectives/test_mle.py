"""Maximum likelihood hears no critic, but trains one to know the ratio."""

from __future__ import annotations

from math import inf

import pytest
import torch

from tests.trainables.training.trials import FLOW, MLP
from trainables.objectives.fgan import Gan
from trainables.objectives.mle import MaximumLikelihood, require_density


def test_likelihood_alone_to_the_end() -> None:
    member = MaximumLikelihood()
    assert member.generator_loss(torch.zeros(2, 3), {}) is None
    assert member.warmup_iterations(FLOW, 10) == inf
    assert member.bend({}) is None
    assert member.rows == ()


def test_its_critic_is_logistic_regression() -> None:
    real, fake = torch.randn(2, 3, 8, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(MaximumLikelihood().critic_loss(real, fake), Gan().critic_loss(real, fake))
    torch.testing.assert_close(MaximumLikelihood().log_ratio(real), real)


def test_a_model_without_density_is_refused() -> None:
    MaximumLikelihood().check_model(FLOW)
    sentence = "objective 'mle' needs a likelihood, which model 'mlp_gan' lacks; use model realnvp"
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        MaximumLikelihood().check_model(MLP)
    with pytest.raises(ValueError, match=r"^objective 'mine' needs a likelihood"):
        require_density("mine", MLP)
