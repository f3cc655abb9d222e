"""Every objective: finite losses of rows that do not mix, gradients that teach, a ratio that follows the logit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.trainables.family_contract import (
    check_every_name_is_listed,
    check_imports_without_torch,
    check_member,
)
from tests.trainables.training.trials import FLOW, trial
from trainables.constraints.spectral import Spectral
from trainables.objectives import OBJECTIVES, Adversarial, Objective
from trainables.objectives.fgan import KL, Gan, JensenShannon, PearsonChi2, ReverseKL
from trainables.objectives.flow_gan import FlowGan
from trainables.objectives.hinge import Hinge
from trainables.objectives.mle import MaximumLikelihood
from trainables.objectives.pr import PR
from trainables.objectives.wasserstein import Wasserstein
from trainables.training.pack_objective import PackObjective
from trainables.training.population import Population

MEMBERS: list[Objective] = [
    PR(lam=3.0),
    PR(lam=0.1),
    PR(lam=3.0, form="step", cover=0.4),
    PR(lam=3.0, critic="chi2", form="primal"),
    PR(lam=0.1, critic="chi2", form="primal"),
    KL(),
    ReverseKL(),
    JensenShannon(),
    PearsonChi2(),
    Gan(),
    Hinge(),
    Wasserstein(),
    MaximumLikelihood(),
    FlowGan(),
]
CPU = torch.device("cpu")


def spelled(member: Objective) -> str:
    return "-".join([member.name, *(str(v) for v in member.changed().values())])


every = pytest.mark.parametrize("member", MEMBERS, ids=spelled)


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def generator_loss(member: Objective, logit: Tensor) -> Tensor | None:
    """The loss of trials that all have this objective."""
    columns = {
        name: torch.full((len(logit),), float(getattr(member, name)))
        for name in member.rows
        if getattr(member, name) is not None
    }
    return member.generator_loss(logit, {**columns, "progress": torch.full((len(logit),), 0.5)})


def test_every_objective_is_under_the_contract() -> None:
    check_every_name_is_listed(OBJECTIVES, MEMBERS)


def test_objectives_are_named_without_torch() -> None:
    check_imports_without_torch("trainables.objectives")


@every
def test_an_objective_is_a_member(member: Objective) -> None:
    check_member(OBJECTIVES, member)


@every
def test_values_and_gradients_are_finite_for_extreme_logits(member: Objective) -> None:
    logit = torch.tensor([[-30.0, -10.0, 0.0, 10.0, 30.0]]).repeat(3, 1).requires_grad_()
    rest = torch.zeros(3, 5)
    losses = [
        member.critic_loss(logit, rest),
        member.critic_loss(rest, logit),
        generator_loss(member, logit),
    ]
    for loss in losses:
        if loss is None:
            assert isinstance(member, MaximumLikelihood)
            continue
        assert loss.shape == (3,)
        (gradient,) = torch.autograd.grad(loss.sum(), logit)
        assert torch.isfinite(loss).all()
        assert torch.isfinite(gradient).all()
        assert bool((gradient != 0).any())
    assert torch.isfinite(member.log_ratio(logit)).all()


@every
def test_rows_do_not_mix(member: Objective) -> None:
    real, fake = 2 * numbers(2, 3, 7)
    spoilt = fake.clone()
    spoilt[1] = torch.nan
    both: list[tuple[Any, Any]] = [
        (member.critic_loss(real, fake), member.critic_loss(real, spoilt)),
        (member.log_ratio(fake), member.log_ratio(spoilt)),
        (generator_loss(member, fake), generator_loss(member, spoilt)),
    ]
    for clean, other in both:
        if clean is not None:
            torch.testing.assert_close(other[[0, 2]], clean[[0, 2]], rtol=0, atol=0)
            assert other[1].isnan().all()


@every
def test_the_ratio_rises_with_the_logit(member: Objective) -> None:
    logit = torch.linspace(-12, 12, 200, dtype=torch.float64)[None]
    assert bool((member.log_ratio(logit).diff() > 0).all())


@every
def test_the_critic_learns_which_points_are_real(member: Objective) -> None:
    # P = N(1, 1), Q = N(-1, 1), a critic w = a·x: descending its loss turns a to where the real points lie.
    x = numbers(1, 4000)
    real, fake = x + 1, numbers(1, 4000, seed=1) - 1
    slope = torch.zeros(1, 1, requires_grad=True)
    (gradient,) = torch.autograd.grad(member.critic_loss(slope * real, slope * fake).sum(), slope)
    assert float(gradient) < 0
    for _ in range(300):
        (gradient,) = torch.autograd.grad(member.critic_loss(slope * real, slope * fake).sum(), slope)
        slope = (slope - 0.02 * gradient).detach().requires_grad_()
    assert float(slope.detach()) > 0.2
    below, above = member.log_ratio(slope.detach() * torch.tensor([[-1.0, 1.0]]))[0]
    assert float(above) > float(below)


@every
def test_the_generator_is_pulled_towards_higher_logits(member: Objective) -> None:
    # Q = N(m, 1) under a critic w = 2(x - m*) of P = N(m*, ·): every step raises m, none lowers a logit.
    centre = torch.zeros(1, 1, requires_grad=True)
    fake = 2 * (centre + numbers(1, 2000) - 1.5)
    loss = generator_loss(member, fake)
    if loss is None:
        assert member.warmup_iterations(FLOW, 100) == float("inf")  # it hears no critic at all
        return
    (gradient,) = torch.autograd.grad(loss.sum(), centre)
    assert float(gradient) < 0
    logit = torch.linspace(-5, 5, 11)[None].requires_grad_()
    loss = generator_loss(member, logit)
    assert loss is not None
    (each,) = torch.autograd.grad(loss.sum(), logit)
    assert bool((each <= 0).all())


@every
def test_it_trains_in_a_population(member: Objective) -> None:
    if isinstance(member, Adversarial):
        member = replace(member, warmup=0)
    # A fast critic: min(λ r̂, 1) teaches nothing before λ r̂ < 1 somewhere.
    configs = [trial(FLOW, member, Spectral(lipschitz=20.0), seed=s, critic_lr=5e-2) for s in (0, 1)]
    population = Population(configs)
    start = {name: population.matrices[name].clone() for name in ("generator", "critic")}
    population.advance(12)
    for name, before in start.items():
        after = population.matrices[name]
        assert torch.isfinite(after).all()
        assert (after != before).any(dim=1).all(), name
    assert torch.isfinite(population.losses).all()


def test_a_pack_of_all_is_its_trials_one_by_one() -> None:
    members = MEMBERS[::-1]
    real, fake = 2 * numbers(2, len(members), 7)
    pack = PackObjective(members, CPU)
    for index, member in enumerate(members):
        alone = PackObjective([member], CPU)
        row = slice(index, index + 1)
        torch.testing.assert_close(pack.critic_loss(real, fake)[row], alone.critic_loss(real[row], fake[row]))
        for share in (0.1, 0.9):
            together = pack.generator_loss(fake, torch.full((len(members),), share))[row]
            torch.testing.assert_close(together, alone.generator_loss(fake[row], torch.full((1,), share)))
        torch.testing.assert_close(pack.log_ratio(fake)[row], alone.log_ratio(fake[row]))
        torch.testing.assert_close(pack.sides(fake)[row], alone.sides(fake[row]))
        torch.testing.assert_close(pack.bend[row], alone.bend, equal_nan=True)
