"""f-GANs against the mathematics they stand for, on laws whose ratio is known."""

from __future__ import annotations

from math import inf, nan
from typing import get_args

import pytest
import torch
from torch import Tensor

from tests.trainables.objectives.laws import RATIO_CRITICS, logit_of, sampled_ratios
from trainables.divergences import DIVERGENCES
from trainables.objectives import OBJECTIVES
from trainables.objectives.fgan import (
    Amari,
    FGan,
    Gan,
    Named,
    Recoverable,
    TotalVariation,
    dual_loss,
    dual_of,
)


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


@pytest.mark.parametrize("name", get_args(Recoverable))
def test_the_bound_at_the_optimum_is_the_divergence(name: str) -> None:
    # Σ p T - Σ q f*(T) at T = f′(p/q) is D_f(p ‖ q), here with samples that are the atoms of uniform q.
    ratio = sampled_ratios(4, count=50)
    ratio = ratio / ratio.mean()
    logit, divergence = logit_of(name, ratio), dual_of(name)
    bound = (ratio * divergence.activation(logit)).mean() - divergence.conjugate_of_activation(logit).mean()
    uniform = torch.full_like(ratio[0], 1 / 50)
    torch.testing.assert_close(bound, divergence.discrete(ratio[0] / 50, uniform).double())


@pytest.mark.parametrize("name", get_args(Named))
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
    members = [OBJECTIVES[name]() for name in DIVERGENCES]
    for member in members:
        assert isinstance(member, FGan)
        divergence = DIVERGENCES[member.name]
        assert dual_of(member.name) is divergence
        torch.testing.assert_close(member.critic_loss(real, fake), dual_loss(divergence, real, fake))
        torch.testing.assert_close(member.generator_loss(fake, {}), -divergence.activation(fake).mean(-1))
        bound = -divergence.conjugate_of_activation(fake).mean(-1)
        torch.testing.assert_close(type(member)(saturating=True).generator_loss(fake, {}), bound)
        assert member.bend({}) is None
        assert member.signature() == [member.name, 1, {}]


def test_the_dual_loss_is_the_bound_negated() -> None:
    # KL: T = 1 + w, f*(T) = e^{T-1}, so the loss is E_Q[e^w] - E_P[1 + w].
    real, fake = torch.tensor([[0.0, 1.0]]), torch.tensor([[0.0, 2.0]])
    divergence = DIVERGENCES["kl"]
    expected = divergence.conjugate(divergence.activation(fake)).mean() - divergence.activation(real).mean()
    torch.testing.assert_close(dual_loss(divergence, real, fake)[0], expected)


def test_names_are_those_of_the_registry() -> None:
    assert set(get_args(Named)) == set(DIVERGENCES)
    assert set(get_args(Recoverable)) == {name for name, div in DIVERGENCES.items() if div.recovers_ratio}


def test_amari_is_the_family_that_the_named_ones_lie_on() -> None:
    real, fake = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(1)).double()
    for alpha, name, scale in ((0.0, "reverse_kl", 1.0), (0.5, "hellinger", 2.0)):
        # Their logits are log r and ½ log r; those of amari log r.
        member, shrunk = Amari(alpha=alpha), 1 / scale
        other = OBJECTIVES[name]()
        bound = member.critic_loss(real, fake)
        constant = member.critic_loss(0 * real, 0 * fake) - scale * other.critic_loss(0 * real, 0 * fake)
        torch.testing.assert_close(bound, scale * other.critic_loss(shrunk * real, shrunk * fake) + constant)
        torch.testing.assert_close(member.log_ratio(fake), other.log_ratio(shrunk * fake))
    assert Amari(alpha=0.5).signature() == Amari().signature()
    assert Amari(alpha=2).group() != Amari(alpha=1).group()


@pytest.mark.parametrize("alpha", [-11.0, 10.5, inf, nan])
def test_an_alpha_beyond_all_use_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match=r"^objective\.alpha must lie from -10 to 10, got "):
        Amari(alpha=alpha)


@pytest.mark.parametrize("alpha", [-10.0, -1.0, -1e-6, 0.0, 1 - 1e-6, 1.0, 2.0, 10.0])
def test_every_alpha_is_stable_in_single_precision(alpha: float) -> None:
    logit = torch.tensor([[-30.0, -1.0, 0.0, 1.0, 30.0]], requires_grad=True)
    member, zeros = Amari(alpha=alpha), torch.zeros(1, 5)
    for loss in (
        member.critic_loss(logit, zeros),
        member.critic_loss(zeros, logit),
        member.generator_loss(logit, {}),
    ):
        (gradient,) = torch.autograd.grad(loss.sum(), logit)
        assert bool(torch.isfinite(loss).all())
        assert bool(torch.isfinite(gradient).all())
    assert bool((member.log_ratio(logit).diff() > 0).all())


def test_total_variation_orders_points_and_knows_no_ratio() -> None:
    logit = torch.tensor([[-2.0, 0.0, 3.0]])
    torch.testing.assert_close(TotalVariation().log_ratio(logit), logit)
    # On atoms p, q its critic gains by raising w exactly where p > q, without end.
    p, q = torch.tensor([0.5, 0.2, 0.3]), torch.tensor([0.2, 0.5, 0.3])
    w = torch.tensor([[1.0], [1.0], [1.0]], requires_grad=True)
    zeros = torch.zeros(3, 1)
    loss = (p * TotalVariation().critic_loss(w, zeros) + q * TotalVariation().critic_loss(zeros, w)).sum()
    (gradient,) = torch.autograd.grad(loss, w)
    assert torch.equal(gradient[:, 0].sign(), (q - p).sign())
