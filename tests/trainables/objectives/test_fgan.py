"""f-GANs against the mathematics they stand for, on laws whose ratio is known."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from tests.trainables.objectives.laws import RATIO_CRITICS, logit_of, sampled_ratios
from trainables.divergences import DIVERGENCES
from trainables.objectives import OBJECTIVES
from trainables.objectives.fgan import FGan, Gan, dual_loss, dual_of


@pytest.mark.parametrize("critic", sorted(RATIO_CRITICS))
def test_log_ratio_is_read_back_from_the_optimal_logit(critic: str) -> None:
    ratio = sampled_ratios(0)
    member, divergence = RATIO_CRITICS[critic]
    torch.testing.assert_close(member.log_ratio(logit_of(divergence, ratio)), ratio.log())


@pytest.mark.parametrize("critic", sorted(RATIO_CRITICS))
def test_a_critic_is_best_at_the_true_ratio(critic: str) -> None:
    # On discrete laws p, q no logit has a lower loss than the one with T = f′(p/q).
    generator = torch.Generator().manual_seed(3)
    p, q = torch.rand(2, 6, generator=generator).double().softmax(-1)
    member, divergence = RATIO_CRITICS[critic]
    optimum = logit_of(divergence, p / q)

    def loss(logit: Tensor) -> Tensor:
        # The loss of each atom alone, weighed by its mass; what the zeros on the other side add is constant.
        nothing = torch.zeros(1, 1).double()
        gained = torch.stack([member.critic_loss(w.reshape(1, 1), nothing)[0] for w in logit])
        paid = torch.stack([member.critic_loss(nothing, w.reshape(1, 1))[0] for w in logit])
        return (p * gained).sum() + (q * paid).sum()

    least = loss(optimum)
    for _ in range(5):
        assert loss(optimum + 0.3 * torch.randn(6, generator=generator).double()) > least


@pytest.mark.parametrize("name", ["kl", "reverse_kl", "js", "chi2", "gan"])
def test_the_bound_at_the_optimum_is_the_divergence(name: str) -> None:
    # Σ p T - Σ q f*(T) at T = f′(p/q) is D_f(p ‖ q), here with samples that are the atoms of uniform q.
    ratio = sampled_ratios(4, count=50)
    ratio = ratio / ratio.mean()
    logit, divergence = logit_of(name, ratio), dual_of(name)
    bound = (ratio * divergence.activation(logit)).mean() - divergence.conjugate_of_activation(logit).mean()
    uniform = torch.full_like(ratio[0], 1 / 50)
    torch.testing.assert_close(bound, divergence.discrete(ratio[0] / 50, uniform).double())


@pytest.mark.parametrize("name", ["kl", "reverse_kl", "js", "chi2", "gan"])
def test_non_saturating_loss_falls_as_the_ratio_rises(name: str) -> None:
    logit = torch.linspace(-5, 5, 11).reshape(11, 1).requires_grad_()
    member = OBJECTIVES[name]()
    loss = member.generator_loss(logit, {})
    assert loss is not None
    (gradient,) = torch.autograd.grad(loss.sum(), logit)
    assert bool((gradient < 0).all())


def test_gan_losses_are_goodfellows() -> None:
    logit = torch.randn(2, 9, generator=torch.Generator().manual_seed(0))
    cross_entropy = torch.nn.functional.binary_cross_entropy_with_logits
    critic = Gan().critic_loss(logit[:1], logit[1:])
    expected = cross_entropy(logit[0], torch.ones(9)) + cross_entropy(logit[1], torch.zeros(9))
    torch.testing.assert_close(critic[0], expected)
    generator = Gan().generator_loss(logit[1:], {})
    torch.testing.assert_close(generator[0], cross_entropy(logit[1], torch.ones(9)))


def test_an_f_gan_is_that_of_the_divergence_of_its_name() -> None:
    real, fake = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(1))
    members = [OBJECTIVES[name]() for name in OBJECTIVES if issubclass(OBJECTIVES[name], FGan)]
    assert {member.name for member in members} == {"kl", "reverse_kl", "js", "chi2", "gan"}
    for member in members:
        divergence = DIVERGENCES[member.name]
        assert dual_of(member.name) is divergence
        torch.testing.assert_close(member.critic_loss(real, fake), dual_loss(divergence, real, fake))
        torch.testing.assert_close(member.generator_loss(fake, {}), -divergence.activation(fake).mean(-1))
        assert member.bend({}) is None


def test_the_dual_loss_is_the_bound_negated() -> None:
    # KL: T = 1 + w, f*(T) = e^{T-1}, so the loss is E_Q[e^w] - E_P[1 + w].
    real, fake = torch.tensor([[0.0, 1.0]]), torch.tensor([[0.0, 2.0]])
    divergence = DIVERGENCES["kl"]
    expected = divergence.conjugate(divergence.activation(fake)).mean() - divergence.activation(real).mean()
    torch.testing.assert_close(dual_loss(divergence, real, fake)[0], expected)
