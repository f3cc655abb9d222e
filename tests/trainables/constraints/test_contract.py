"""Every constraint: one trajectory alone and in a mixed pack, and a certificate that holds on trained critics."""

from __future__ import annotations

from functools import cache

import pytest
import torch

from tests.trainables.family_contract import (
    check_every_name_is_listed,
    check_imports_without_torch,
    check_member,
)
from tests.trainables.training.trials import MLP, trial
from trainables.config import TrialConfig
from trainables.constraints import CONSTRAINTS, Constraint
from trainables.constraints.none import Free
from trainables.constraints.spectral import Spectral
from trainables.objectives.fgan import Gan
from trainables.sources.source import Batch
from trainables.training.population import Population

MEMBERS: list[Constraint] = [
    Free(),
    Spectral(lipschitz=0.5),
    Spectral(lipschitz=3.0),
]
every = pytest.mark.parametrize("member", MEMBERS, ids=lambda m: "-".join(map(str, m.plain().values())))
ITERATIONS = 40


def configs() -> list[TrialConfig]:
    """Every constraint twice, in no order."""
    return [
        trial(MLP, Gan(), member, seed=seed, iterations=ITERATIONS)
        for seed in (0, 1)
        for member in MEMBERS[:: 1 - 2 * seed]
    ]


@cache
def pack() -> Population:
    population = Population(configs())
    population.advance(ITERATIONS)
    return population


def test_every_constraint_is_under_the_contract() -> None:
    check_every_name_is_listed(CONSTRAINTS, MEMBERS)


def test_constraints_are_named_without_torch() -> None:
    check_imports_without_torch("trainables.constraints")


@every
def test_a_constraint_is_a_member(member: Constraint) -> None:
    check_member(CONSTRAINTS, member)


@every
def test_alone_and_in_a_mixed_pack_are_the_same_trial(member: Constraint) -> None:
    index = next(i for i, c in enumerate(configs()) if c.constraint == member and c.seed == 1)
    alone = Population([configs()[index]])
    alone.advance(ITERATIONS)
    for name, matrix in alone.matrices.items():
        torch.testing.assert_close(pack().matrices[name][index], matrix[0], rtol=1e-3, atol=1e-5, msg=name)
    one, other = pack().state(index)["constraint"], alone.state(0)["constraint"]
    torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4)


def test_a_mixed_pack_is_resumed_exactly() -> None:
    first = Population(configs())
    first.advance(15)
    second = Population(configs(), [first.state(i) for i in range(len(configs()))])
    second.advance(ITERATIONS - 15)
    for name, matrix in pack().matrices.items():
        torch.testing.assert_close(second.matrices[name], matrix, rtol=0, atol=0, msg=name)
    for index in range(len(configs())):
        assert torch.equal(second.state(index)["constraint"], pack().state(index)["constraint"])


@every
def test_the_certificate_holds_on_trained_critics(member: Constraint) -> None:
    population = pack()
    bound = population.lipschitz_bound()
    generator = torch.Generator().manual_seed(0)
    x = 3 * torch.randn(1, 2000, 2, generator=generator).expand(len(configs()), -1, -1)
    near = 10 ** (3 * torch.rand(1, 2000, 1, generator=generator) - 3)
    y = x + near * torch.randn(1, 2000, 2, generator=generator)
    # The logistic critic's log ratio is its logit.
    rise = (population.log_ratio(Batch(x)) - population.log_ratio(Batch(y))).abs()
    slopes = ((rise - 1e-5).clamp(min=0) / (x - y).norm(dim=-1)).amax(dim=1)
    mine = [i for i, c in enumerate(configs()) if c.constraint == member]
    for index in mine:
        if bool(bound[index].isnan()):
            continue
        assert float(slopes[index]) <= float(bound[index]) * (1 + 1e-3)
        assert float(slopes[index]) > 0
