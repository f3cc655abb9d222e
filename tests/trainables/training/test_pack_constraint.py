"""Penalties and projections written for one trial serve a mixed pack, and stay with their rows."""

from __future__ import annotations

import pytest
import torch

from tests.trainables.training.members import Clipping, Clusters, Conditional, GradientPenalty, Parts, small
from tests.trainables.training.trials import MLP
from trainables.constraints import Constraint
from trainables.constraints.none import Free
from trainables.constraints.spectral import Spectral
from trainables.models.layers.perceptron import MLPCritic
from trainables.objectives.hinge import Hinge
from trainables.training.pack_constraint import PackConstraint
from trainables.training.population import Population
from trainables.training.stack import Stack

CPU = torch.device("cpu")
MIXED: list[Constraint] = [
    GradientPenalty(weight=1.0),
    Clipping(bound=0.05),
    Free(),
    Spectral(lipschitz=2.0),
    GradientPenalty(weight=10.0),
    Clipping(bound=0.2),
]
ITERATIONS = 15


def trained(constraints: list[Constraint], iterations: int = ITERATIONS) -> Population:
    population = Population([small(MLP, constraint=c, objective=Hinge()) for c in constraints])
    population.advance(iterations)
    return population


def test_a_mixed_pack_is_its_trials_one_by_one() -> None:
    together = trained(MIXED)
    for index, constraint in enumerate(MIXED):
        alone = trained([constraint])
        for name, matrix in alone.matrices.items():
            torch.testing.assert_close(
                together.matrices[name][index], matrix[0], rtol=1e-3, atol=1e-5, msg=f"{constraint}: {name}"
            )
    critics = together.matrices["critic"]
    for one in range(len(MIXED)):
        for other in range(one):
            assert not torch.allclose(critics[one], critics[other])


def test_clipped_weights_are_within_their_own_bound() -> None:
    for constraints in (MIXED, [Clipping(bound=0.05), Clipping(bound=0.2)]):
        critics = trained(constraints).matrices["critic"]
        for row, constraint in zip(critics, constraints, strict=True):
            if isinstance(constraint, Clipping):
                assert float(row.abs().max()) == pytest.approx(constraint.bound)
            else:
                assert float(row.abs().max()) > 0.2


def test_a_penalty_pulls_slopes_towards_one() -> None:
    population = trained([Free(), GradientPenalty(weight=30.0)], 60)
    x = (
        (2 * torch.randn(1, 200, 2, generator=torch.Generator().manual_seed(0)))
        .repeat(2, 1, 1)
        .requires_grad_()
    )
    logit = population.critic(population.critic.unflatten(population.matrices["critic"]), {}, x)
    (slope,) = torch.autograd.grad(logit.sum(), x)
    free, held = (slope.norm(dim=-1) - 1).abs().mean(dim=1)
    assert float(held) < 0.35
    assert float(held) < 0.7 * float(free)
    assert bool(population.lipschitz_bound()[1].isnan())
    assert not bool(population.lipschitz_bound()[0].isnan())


def test_a_resumed_mixed_pack_goes_on_exactly() -> None:
    whole, first = trained(MIXED), trained(MIXED, 6)
    second = Population(first.configs, [first.state(i) for i in range(len(MIXED))])
    second.advance(ITERATIONS - 6)
    for name, matrix in whole.matrices.items():
        torch.testing.assert_close(second.matrices[name], matrix, rtol=0, atol=0, msg=name)


@pytest.mark.parametrize("model", [Parts(critic="batchnorm"), Parts(critic="dropout"), Conditional()])
def test_a_penalty_scores_critics_with_buffers_noise_and_labels(model: Parts | Conditional) -> None:
    constraints = [GradientPenalty(), Free(), GradientPenalty(weight=3.0)]
    configs = [small(model, constraint=c, dataset=Clusters()) for c in constraints]
    together = Population(configs)
    together.advance(5)
    for index, config in enumerate(configs):
        alone = Population([config])
        alone.advance(5)
        torch.testing.assert_close(
            together.matrices["critic"][index], alone.matrices["critic"][0], rtol=1e-3, atol=1e-5
        )


def critic() -> Stack:
    return Stack(lambda: MLPCritic((2,), (4,)))


def test_only_what_is_defined_is_called() -> None:
    assert PackConstraint(MIXED, critic(), CPU).penalises
    assert not PackConstraint([Free(), Spectral(), Clipping()], critic(), CPU).penalises
    pack = PackConstraint([Free(), Free()], critic(), CPU)
    parameters = critic().unflatten(torch.randn(2, critic().size, generator=torch.Generator().manual_seed(0)))
    before = {name: values.clone() for name, values in parameters.items()}
    pack.project(parameters)
    for after in (parameters, pack.weights(parameters, update=True), pack.final_weights(parameters)):
        for name, values in before.items():
            assert torch.equal(after[name], values)


def test_states_are_those_of_the_trials_and_come_back() -> None:
    pack = PackConstraint(MIXED, critic(), CPU)
    sizes = [row.numel() for row in pack.states()]
    assert sizes == [0, 0, 0, 4 + 1, 0, 0]
    rows = [torch.full((size,), float(index)) for index, size in enumerate(sizes)]
    pack.restore(rows)
    for found, row in zip(pack.states(), rows, strict=True):
        assert torch.equal(found, row)


def test_a_critic_that_cannot_be_constrained_is_refused_for_the_pack() -> None:
    with pytest.raises(
        ValueError,
        match=r"constraint 'spectral' needs linear layers.* the critic of model 'parts' has others",
    ):
        Population([small(Parts(critic="batchnorm"), constraint=c) for c in (Free(), Spectral())])
