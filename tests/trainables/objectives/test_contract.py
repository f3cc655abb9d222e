"""Every objective: finite losses of rows that do not mix, gradients that teach, a ratio that follows the logit."""

from __future__ import annotations

import math
from collections.abc import Callable
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
from tests.trainables.objectives.gaussian_pair import Pair, masses
from tests.trainables.training.trials import FLOW, trial
from trainables.constraints.spectral import Spectral
from trainables.divergences import DIVERGENCES, Divergence
from trainables.objectives import OBJECTIVES, Adversarial, Objective
from trainables.objectives.fgan import (
    KL,
    Amari,
    FGan,
    Gan,
    Hellinger,
    Jeffreys,
    JensenShannon,
    PearsonChi2,
    ReverseKL,
    TotalVariation,
)
from trainables.objectives.flow_gan import FlowGan
from trainables.objectives.hinge import Hinge
from trainables.objectives.mle import MaximumLikelihood
from trainables.objectives.naive_pr import NaivePR
from trainables.objectives.obrs import Obrs
from trainables.objectives.pr import PR
from trainables.objectives.wasserstein import Wasserstein
from trainables.rejection.obrs import budget_constant
from trainables.training.pack_objective import PackObjective
from trainables.training.population import Population

MEMBERS: list[Objective] = [
    PR(lam=3.0),
    PR(lam=0.1),
    PR(lam=3.0, form="step", cover=0.4),
    PR(lam=3.0, form="step", calibrated=True),
    PR(lam=3.0, critic="chi2", form="primal"),
    PR(lam=0.1, critic="chi2", form="primal"),
    PR(lam=2.0, critic="jeffreys"),
    PR(lam=0.1, critic="hellinger"),
    NaivePR(lam=3.0),
    NaivePR(lam=0.5),
    KL(),
    KL(saturating=True),
    ReverseKL(),
    TotalVariation(),
    Jeffreys(),
    JensenShannon(),
    PearsonChi2(),
    Hellinger(),
    Amari(),
    Amari(alpha=-0.5, saturating=True),
    Amari(alpha=3.0),
    Gan(),
    Hinge(),
    Wasserstein(),
    MaximumLikelihood(),
    FlowGan(),
    FlowGan(divergence="reverse_kl"),
    Obrs(delay=0.0),
    Obrs(delay=0.0, calibrated=True),
    Obrs(divergence="kl", budget=4.0, every=1, saturating=False),
    Obrs(divergence="jeffreys", budget=1.5, every=3, delay=0.0),
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
    memory = torch.tensor(member.initial()).expand(len(logit), -1)
    now = {"progress": torch.full((len(logit),), 0.5), "step": torch.zeros(len(logit), dtype=torch.int64)}
    if memory.shape[1]:
        memory = member.remember(memory, member.log_ratio(logit.detach()), {**columns, **now})
    return member.generator_loss(logit, {**columns, **now, "memory": memory})


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
    x = numbers(1, 1000)
    real, fake = x + 1, numbers(1, 1000, seed=1) - 1
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


def best_critic(member: Objective) -> Callable[[Tensor], Tensor]:
    """The logit of a perfect critic by log ratio; where there is no such logit, one that rises with it."""
    if isinstance(member, NaivePR):
        return lambda log_ratio: 2 * (log_ratio + math.log(member.lam))
    dual = dual_of_critic(member)
    return (lambda w: w) if dual is None else (lambda w: dual.optimal_logit(w.clamp(-60, 60).exp()))


def dual_of_critic(member: Objective) -> Divergence | None:
    """The divergence that a critic maximises, if it then knows the ratio."""
    if isinstance(member, PR | MaximumLikelihood):
        name = getattr(member, "critic", "logistic")
        return DIVERGENCES["gan" if name == "logistic" else name]
    found = member.dual() if isinstance(member, FGan) else None
    return found if found is not None and found.recovers_ratio else None


@pytest.mark.parametrize("member", [*MEMBERS, FlowGan(divergence="tv")], ids=spelled)
def test_it_says_whether_its_best_critic_tells_any_two_ratios_apart(member: Objective) -> None:
    ratios = torch.tensor([0.05, 0.08, 0.2, 0.4, 0.7, 1.4, 2.0, 2.5, 4.0, 5.0], dtype=torch.float64)
    logit = torch.linspace(-30, 30, 60_001, dtype=torch.float64)[:, None]
    rest = torch.zeros_like(logit)  # what it adds to a loss is the same at every logit
    real, fake = member.critic_loss(logit, rest), member.critic_loss(rest, logit)
    best = torch.stack([(r * real + fake).argmin() for r in ratios])
    assert member.knows_ratio() == bool((best.diff() > 0).all())
    if member.knows_ratio():
        torch.testing.assert_close(member.log_ratio(logit[best, 0][None])[0], ratios.log(), rtol=0, atol=0.02)


@every
@pytest.mark.parametrize("m", [-0.6, 0.6])
def test_a_perfect_critic_pulls_the_mean_to_the_data_from_both_sides(member: Objective, m: float) -> None:
    if isinstance(member, MaximumLikelihood):
        return  # it hears no critic
    pair = Pair(m, 1.0)
    columns: dict[str, Any] = {name: getattr(member, name) or 0.0 for name in member.rows}
    if isinstance(member, Obrs):
        p, q = masses(), masses(m, 1.0)
        columns["memory"] = torch.tensor(member.initial())
        columns["memory"][0] = budget_constant((p / q).log(), member.budget, q)
    elif member.initial():
        columns["memory"] = torch.tensor(member.initial())
    slope = pair.pull(member, best_critic(member), **columns, progress=0.5)
    assert float(slope[0]) * m > 0


@every
def test_a_perfect_critic_has_nothing_to_learn(member: Objective) -> None:
    dual = dual_of_critic(member)
    if dual is None:
        assert isinstance(
            member, TotalVariation | NaivePR | Hinge | Wasserstein
        )  # their best logits are at the ends
        return
    p, q = masses(), masses(0.5, 1.2)
    logit = dual.optimal_logit((p / q).clamp(1e-9, 1e9))[:, None].requires_grad_()
    rest = torch.zeros_like(logit)
    loss = p * member.critic_loss(logit, rest) + q * member.critic_loss(rest, logit)
    (gradient,) = torch.autograd.grad(loss.sum(), logit)
    alone = torch.autograd.grad((p * member.critic_loss(logit, rest)).sum(), logit)[0]
    assert float(gradient.abs().max()) < 1e-6 * float(alone.abs().max())


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
    pack, start = PackObjective(members, CPU), torch.zeros(len(members))
    pack.remember(real, start, torch.tensor(0))
    for index, member in enumerate(members):
        alone = PackObjective([member], CPU)
        row = slice(index, index + 1)
        alone.remember(real[row], start[:1], torch.tensor(0))
        assert torch.equal(pack.states()[index], alone.states()[0])
        torch.testing.assert_close(pack.critic_loss(real, fake)[row], alone.critic_loss(real[row], fake[row]))
        for share in (0.1, 0.9):
            together = pack.generator_loss(fake, torch.full((len(members),), share))[row]
            torch.testing.assert_close(together, alone.generator_loss(fake[row], torch.full((1,), share)))
        torch.testing.assert_close(pack.log_ratio(fake)[row], alone.log_ratio(fake[row]))
        torch.testing.assert_close(pack.sides(fake)[row], alone.sides(fake[row]))
        torch.testing.assert_close(pack.bend[row], alone.bend, equal_nan=True)
