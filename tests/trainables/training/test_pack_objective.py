"""A pack's losses are its trials' own; the bend tells where λ acts."""

from __future__ import annotations

import math

import torch

from trainables.objectives.fgan import KL
from trainables.objectives.mle import MaximumLikelihood
from trainables.objectives.obrs import Obrs
from trainables.objectives.pr import PR
from trainables.rejection.obrs import budget_constant
from trainables.training.pack_objective import PackObjective

CPU = torch.device("cpu")


def test_sides_are_shares_below_and_above_one_over_lam() -> None:
    pack = PackObjective([PR(lam=1.0), PR(lam=4.0), KL()], CPU)
    log_ratio = torch.tensor([[-2.0, -1.0, 0.0, 1.0]]).repeat(3, 1)
    expected = torch.tensor([[0.5, 0.25], [0.25, 0.75], [0.0, 0.0]])  # at λ = 4 the border is at -1.39
    torch.testing.assert_close(pack.sides(log_ratio), expected)


def test_the_bend_is_that_of_each_trial_and_nan_without_one() -> None:
    pack = PackObjective([KL(), PR(lam=4.0), PR(lam=0.5, form="primal")], CPU)
    assert bool(pack.bend[0].isnan())
    torch.testing.assert_close(pack.bend[1:], torch.tensor([-math.log(4.0), math.log(2.0)]))


def test_a_trial_that_hears_no_critic_has_no_loss_and_no_gradient() -> None:
    logit = torch.ones(2, 3, requires_grad=True)
    loss = PackObjective([MaximumLikelihood(), KL()], CPU).generator_loss(logit, torch.zeros(2))
    assert float(loss[0].detach()) == 0.0
    (gradient,) = torch.autograd.grad(loss.sum(), logit)
    assert not gradient[0].any()
    assert gradient[1].all()


def test_a_trial_remembers_what_its_objective_does_and_others_nothing() -> None:
    members = [Obrs(budget=2.0, every=2), KL(), Obrs(budget=3.0, every=3), Obrs(divergence="js", budget=2.0)]
    pack = PackObjective(members, CPU)
    assert [state.tolist() for state in pack.states()] == [[math.inf], [], [math.inf], [math.inf]]
    fakes = torch.randn(4, 4, 9, generator=torch.Generator().manual_seed(0))
    start = torch.zeros(4)
    for step, fake in enumerate(fakes):
        pack.remember(fake, start, torch.tensor(step))
    last = {0: 2, 2: 3, 3: 0}  # steps at which they were due last: every 2, 3 and 10
    for row, step in last.items():
        budget = members[row].budget  # type: ignore[union-attr]
        expected = budget_constant(fakes[step][row], budget).float()
        torch.testing.assert_close(pack.states()[row], expected.reshape(1))
    assert pack.states()[1].shape == (0,)


def test_memories_are_put_back_and_begin_anew_where_there_are_none() -> None:
    members = [KL(), Obrs(), Obrs(budget=3.0)]
    pack, again = PackObjective(members, CPU), PackObjective(members, CPU)
    pack.remember(torch.randn(3, 9), torch.zeros(3), torch.tensor(0))
    states = pack.states()
    pack.remember(torch.randn(3, 9), torch.zeros(3), torch.tensor(0))  # a state is a copy
    again.restore([None, states[1], None])
    assert torch.equal(again.states()[1], states[1])
    assert again.states()[2].tolist() == [math.inf]
    logit = torch.randn(3, 9)
    late = torch.full((3,), 0.5)
    assert again.generator_loss(logit, late)[1] != PackObjective(members, CPU).generator_loss(logit, late)[1]


def test_a_calibrated_trial_reads_its_critic_on_the_scale_it_found() -> None:
    pack = PackObjective([PR(lam=2.0), PR(lam=2.0, calibrated=True), Obrs()], CPU)
    real = torch.tensor([[0.4, 0.2, -0.1]]).repeat(3, 1)
    torch.testing.assert_close(pack.log_ratio(real), real)  # slopes begin at 1
    before = [state.clone() for state in pack.states()]
    for _ in range(20):
        pack.compare(real, -real)
    slope = pack.states()[1].exp()
    assert float(slope) > 1.2, "it understates"
    torch.testing.assert_close(pack.log_ratio(real)[1], slope * real[1])
    for row in (0, 2):
        torch.testing.assert_close(pack.log_ratio(real)[row], real[row])
        assert torch.equal(pack.states()[row], before[row]), "others remember what they did"
