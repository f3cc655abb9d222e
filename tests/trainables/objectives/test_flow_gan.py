"""Flow-GAN is the GAN with a tenth of the likelihood, for flows only."""

from __future__ import annotations

import pytest
import torch

from tests.trainables.training.trials import FLOW, MLP
from trainables.objectives.fgan import KL, Gan, TotalVariation
from trainables.objectives.flow_gan import FlowGan


def test_losses_are_those_of_the_gan() -> None:
    real, fake = torch.randn(2, 3, 8, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(FlowGan().critic_loss(real, fake), Gan().critic_loss(real, fake))
    torch.testing.assert_close(FlowGan().generator_loss(fake, {}), Gan().generator_loss(fake, {}))
    torch.testing.assert_close(FlowGan().log_ratio(fake), fake)


def test_it_may_be_that_of_any_divergence() -> None:
    real, fake = torch.randn(2, 3, 8, generator=torch.Generator().manual_seed(1))
    for member, other in ((FlowGan(divergence="kl"), KL()), (FlowGan(divergence="tv"), TotalVariation())):
        torch.testing.assert_close(member.critic_loss(real, fake), other.critic_loss(real, fake))
        torch.testing.assert_close(member.generator_loss(fake, {}), other.generator_loss(fake, {}))
        torch.testing.assert_close(member.log_ratio(fake), other.log_ratio(fake))
    assert FlowGan(divergence="gan").signature() == ["flow_gan", 1, {}]


def test_the_likelihood_weighs_a_tenth_unless_said_otherwise() -> None:
    assert FlowGan().nll_weight(FLOW) == 0.1
    assert FlowGan(likelihood=2).nll_weight(FLOW) == 2.0
    assert FlowGan(likelihood=0.1).signature() == FlowGan().signature()
    assert FlowGan().warmup_iterations(FLOW, 40) == 10


def test_a_model_without_density_is_refused() -> None:
    FlowGan().check_model(FLOW)
    sentence = "objective 'flow_gan' needs a likelihood, which model 'mlp_gan' lacks; use model realnvp"
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        FlowGan().check_model(MLP)
    with pytest.raises(ValueError, match=r"^objective\.warmup must be ≥ 0, got -3$"):
        FlowGan(warmup=-3)
