"""Training with OBRS: an f-GAN at K = 1 and in its delay, a constant that is solved for when due."""

from __future__ import annotations

from math import inf, nan
from typing import Any, get_args

import pytest
import torch
from torch import Tensor

from trainables.objectives import OBJECTIVES
from trainables.objectives.fgan import Gan, Recoverable
from trainables.objectives.obrs import Obrs
from trainables.rejection.obrs import budget_constant


def columns(
    budget: float = 2.0, delay: float = 0.0, progress: float = 0.5, log_c: float = inf
) -> dict[str, Tensor]:
    values = {"budget": budget, "delay": delay, "progress": progress}
    return {**{k: torch.tensor([v]) for k, v in values.items()}, "memory": torch.tensor([[log_c]])}


def logits(count: int = 200) -> Tensor:
    return 2 * torch.randn(1, count, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("saturating", [True, False])
@pytest.mark.parametrize("name", get_args(Recoverable))
def test_without_rejection_it_is_the_f_gan(name: Any, saturating: bool) -> None:
    logit = logits().requires_grad_()
    member = Obrs(divergence=name, saturating=saturating)
    kind: Any = OBJECTIVES[name]
    (expected,) = torch.autograd.grad(kind(saturating=saturating).generator_loss(logit, {}).sum(), logit)
    for now in (columns(budget=1.0), columns(budget=4.0, delay=0.3, progress=0.29, log_c=0.0)):
        (found,) = torch.autograd.grad(member.generator_loss(logit, now).sum(), logit)
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(member.critic_loss(logit, logit - 1), kind().critic_loss(logit, logit - 1))


def test_samples_that_may_be_rejected_teach_nothing() -> None:
    logit = logits().requires_grad_()
    log_c = float(budget_constant(logit, 2.0))
    (gradient,) = torch.autograd.grad(Obrs().generator_loss(logit, columns(log_c=log_c)).sum(), logit)
    kept = logit.detach() > -log_c  # with certainty
    assert 0 < float(kept.float().mean()) < 0.5  # at most one in K
    assert bool((gradient[kept] < 0).all())
    assert not gradient[~kept].any()


def test_the_scale_of_the_ratio_is_the_critics() -> None:
    # r̂/K is where the output is read: at K = 2 a logit of w counts as w - log 2, and the loss K times.
    logit = torch.full((1, 1), 3.0, requires_grad=True)
    (gradient,) = torch.autograd.grad(Obrs().generator_loss(logit, columns(log_c=0.0)).sum(), logit)
    shifted = (logit.detach() - torch.tensor(2.0).log()).requires_grad_()
    (expected,) = torch.autograd.grad(2 * Gan(saturating=True).generator_loss(shifted, {}).sum(), shifted)
    torch.testing.assert_close(gradient, expected)


def test_the_constant_is_solved_for_when_it_is_due() -> None:
    member, log_ratio = Obrs(), logits().repeat(3, 1)
    given = {"budget": torch.tensor([1.0, 2.0, 4.0]), "every": torch.tensor([3.0, 3.0, 2.0])}
    start = torch.tensor(member.initial()).expand(3, -1)
    assert start.tolist() == [[inf]] * 3
    first = member.remember(start, log_ratio, {**given, "step": torch.tensor([0, 0, 0])})
    torch.testing.assert_close(first[:, 0], budget_constant(log_ratio, given["budget"]).float())
    later = member.remember(first, log_ratio + 1, {**given, "step": torch.tensor([2, 3, 3])})
    assert torch.equal(later[[0, 2]], first[[0, 2]])
    torch.testing.assert_close(later[1], first[1] - 1)
    late = member.remember(start, log_ratio, {**given, "step": torch.tensor([7, 7, 7])})
    assert torch.equal(late, first), "the first time is due whenever it comes"


def test_a_fitted_slope_is_read_in_the_constant_and_in_the_loss() -> None:
    member, logit = Obrs(calibrated=True), logits()
    memory = torch.tensor([member.initial()])
    assert memory.tolist() == [[inf, 0.0]]
    for _ in range(30):
        memory = member.compare(memory, 0.1 + 0.05 * logit, 0.05 * logit - 0.1)
    slope = member.slope(memory)
    assert slope is not None
    assert float(slope) > 1.5, "it understates"
    now = {**columns(), "step": torch.tensor([0]), "every": torch.tensor([10.0])}
    memory = member.remember(memory, logit, now)
    expected = budget_constant(slope * logit, 2.0).float()
    torch.testing.assert_close(memory, torch.stack((expected, slope.log()), dim=1))
    found = member.generator_loss(logit, {**now, "memory": memory})
    steeper = Obrs().generator_loss(slope * logit, columns(log_c=float(memory[0, 0])))
    torch.testing.assert_close(found, steeper)


def test_held_down_ratios_teach_only_with_a_slope() -> None:
    # E_Q[min(c r, 1)] = ½ with r near 1 everywhere has c r < 1 everywhere.
    logit = (logits() / 20).requires_grad_()
    log_c = float(budget_constant(logit, 2.0))
    (starved,) = torch.autograd.grad(Obrs().generator_loss(logit, columns(log_c=log_c)).sum(), logit)
    assert not starved.any()
    steep = {**columns(), "memory": torch.tensor([[float(budget_constant(20 * logit, 2.0)), 20.0]])}
    steep["memory"][:, 1].log_()
    (taught,) = torch.autograd.grad(Obrs(calibrated=True).generator_loss(logit, steep).sum(), logit)
    assert float((taught != 0).float().mean()) > 0.2


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"budget": 0.5}, "budget K must be ≥ 1, got 0.5; use K=1 to accept every sample"),
        ({"budget": nan}, "budget K must be ≥ 1, got nan; use K=1 to accept every sample"),
        ({"budget": 1e10}, "budget K must be at most 1,000,000,000.0, got 10000000000.0; use a smaller one"),
        ({"every": 0}, "objective.every must be ≥ 1, got 0; 1 solves for c every time"),
        (
            {"delay": 1.0},
            "objective.delay is a share of the training from 0 to 0.9, got 1.0; the rest is with rejection",
        ),
        (
            {"divergence": "tv"},
            "objective.divergence must give the density ratio, which 'tv' does not; "
            "use one of kl, reverse_kl, jeffreys, js, gan, chi2, hellinger",
        ),
    ],
)
def test_refusals(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        Obrs(**given)
    assert str(refusal.value) == sentence


def test_budgets_vary_inside_a_group() -> None:
    assert Obrs(budget=2).group() == Obrs(budget=3.5, every=1, delay=0.5, warmup=3).group()
    assert Obrs(divergence="kl").group() != Obrs().group()
