"""Every constraint: one trajectory alone and in a mixed pack, and a certificate that holds on trained networks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import prod

import pytest
import torch

from tests.trainables.constraints.images import pictures
from tests.trainables.family_contract import (
    check_every_name_is_listed,
    check_imports_without_torch,
    check_member,
)
from tests.trainables.training.trials import MLP, trial
from trainables.config import TrialConfig
from trainables.constraints import CONSTRAINTS, Constraint
from trainables.constraints.bjorck import Bjorck
from trainables.constraints.clipping import Clipping
from trainables.constraints.gradient_penalty import GradientPenalty
from trainables.constraints.none import Free
from trainables.constraints.r1 import R1
from trainables.constraints.spectral import Spectral
from trainables.evaluation.steepness import generator_slopes
from trainables.lipschitz.parts import Dense, Row
from trainables.lipschitz.slopes import gradient_norms
from trainables.objectives.fgan import Gan
from trainables.randomness import Stream
from trainables.sources.source import Batch
from trainables.training.population import Population

MEMBERS: list[Constraint] = [
    Free(),
    Spectral(lipschitz=0.5),
    Spectral(lipschitz=3.0),
    Clipping(limit=0.2),
    GradientPenalty(weight=3.0, target=0.5),
    GradientPenalty(side="one"),
    R1(weight=2.0),
]
"""They can be packed together."""
PREPARED: list[Constraint] = [Bjorck(lipschitz=0.5), Bjorck(lipschitz=3.0)]
"""These change the networks, and are packed with their like."""
ALL = [*MEMBERS, *PREPARED]
every = pytest.mark.parametrize("member", ALL, ids=lambda m: "-".join(map(str, m.plain().values())))
ITERATIONS = 20


def configs(prepared: bool = False) -> list[TrialConfig]:
    """Every constraint twice, in no order."""
    return [
        trial(MLP, Gan(), member, seed=seed, iterations=ITERATIONS)
        for seed in (0, 1)
        for member in (PREPARED if prepared else MEMBERS)[:: 1 - 2 * seed]
    ]


@cache
def pack(prepared: bool = False) -> Population:
    population = Population(configs(prepared))
    population.advance(ITERATIONS)
    return population


def test_every_constraint_is_under_the_contract() -> None:
    check_every_name_is_listed(CONSTRAINTS, ALL)


def test_constraints_are_named_without_torch() -> None:
    check_imports_without_torch("trainables.constraints")


@every
def test_a_constraint_is_a_member(member: Constraint) -> None:
    check_member(CONSTRAINTS, member)


@every
def test_alone_and_in_a_mixed_pack_are_the_same_trial(member: Constraint) -> None:
    among, together = configs(member.prepares), pack(member.prepares)
    index = next(i for i, c in enumerate(among) if c.constraint == member and c.seed == 1)
    alone = Population([among[index]])
    alone.advance(ITERATIONS)
    for name, matrix in alone.matrices.items():
        torch.testing.assert_close(together.matrices[name][index], matrix[0], rtol=1e-3, atol=1e-5, msg=name)
    one, other = together.state(index)["constraint"], alone.state(0)["constraint"]
    torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("prepared", [False, True])
def test_a_mixed_pack_is_resumed_exactly(prepared: bool) -> None:
    among, whole = configs(prepared), pack(prepared)
    first = Population(among)
    first.advance(8)
    second = Population(among, first.states())
    second.advance(ITERATIONS - 8)
    for name, matrix in whole.matrices.items():
        torch.testing.assert_close(second.matrices[name], matrix, rtol=0, atol=0, msg=name)
    for index in range(len(among)):
        assert torch.equal(second.state(index)["constraint"], whole.state(index)["constraint"])


@every
def test_the_certificate_holds_on_trained_critics(member: Constraint) -> None:
    among, population = configs(member.prepares), pack(member.prepares)
    bound = population.lipschitz_bound()
    generator = torch.Generator().manual_seed(0)
    x = 3 * torch.randn(1, 2000, 2, generator=generator).expand(len(among), -1, -1)
    near = 10 ** (3 * torch.rand(1, 2000, 1, generator=generator) - 3)
    y = x + near * torch.randn(1, 2000, 2, generator=generator)
    # The logistic critic's log ratio is its logit.
    rise = (population.log_ratio(Batch(x)) - population.log_ratio(Batch(y))).abs()
    slopes = ((rise - 1e-5).clamp(min=0) / (x - y).norm(dim=-1)).amax(dim=1)
    for index in (i for i, c in enumerate(among) if c.constraint == member):
        assert 0 < float(slopes[index]) <= float(bound[index]) * (1 + 1e-3)
        if isinstance(member, Spectral | Bjorck):
            assert float(bound[index]) <= member.lipschitz * (1 + 2e-6)


# ── networks of images, critics and generators alike

HELD: list[Constraint] = [Free(), Spectral(lipschitz=0.7), Spectral(lipschitz=4.0), Clipping(limit=0.1)]
"""Constraints that bound a network of convolutions."""
PICTURED = 12


def picture_configs(residual: bool) -> list[TrialConfig]:
    return [
        pictures(seed, residual, PICTURED, constraint=critic, generator_constraint=generator)
        for seed, (critic, generator) in enumerate(zip(HELD, HELD[1:] + HELD[:1], strict=True))
    ]


@cache
def picture_pack(residual: bool) -> Population:
    population = Population(picture_configs(residual))
    population.advance(PICTURED)
    return population


both = pytest.mark.parametrize("residual", [False, True], ids=["plain", "residual"])


@both
def test_no_images_are_scored_further_apart_than_is_certified(residual: bool) -> None:
    population = picture_pack(residual)
    bound = population.lipschitz_bound()
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(1, 300, 1, 8, 8, generator=generator).expand(len(HELD), -1, -1, -1, -1)
    y = x + 0.3 * torch.randn(1, 300, 1, 8, 8, generator=generator)
    rise = (population.log_ratio(Batch(x)) - population.log_ratio(Batch(y))).abs()
    slopes = (rise / (x - y).flatten(2).norm(dim=2)).amax(dim=1)
    for member, slope, certified in zip(HELD, slopes.tolist(), bound.tolist(), strict=True):
        assert 0 < slope <= certified
        if isinstance(member, Spectral):
            assert certified <= member.lipschitz * (1 + 2e-6)


@both
def test_no_latents_are_sent_further_apart_than_is_certified(residual: bool) -> None:
    population = picture_pack(residual)
    bound = population.generator_lipschitz_bound()
    slopes = generator_slopes(population)
    for config, slope, certified in zip(population.configs, slopes.tolist(), bound.tolist(), strict=True):
        assert 0 < slope <= certified * (1 + 1e-5)
        if isinstance(config.generator_constraint, Spectral):
            assert certified <= config.generator_constraint.lipschitz * (1 + 2e-6)


@both
def test_the_layers_written_out_as_matrices_are_within_the_constant(residual: bool) -> None:
    population = picture_pack(residual)
    weights = {name: values[2] for name, values in population.final_critic().items()}  # spectral, 4.0

    def norm(layer: Callable[[torch.Tensor], torch.Tensor], *shape: int) -> float:
        units = torch.eye(prod(shape)).reshape(-1, *shape)
        return float(torch.linalg.matrix_norm(layer(units).flatten(1), ord=2))

    first = norm(lambda x: torch.conv2d(x, weights["0.weight"], stride=2, padding=1), 1, 8, 8)
    last = norm(lambda x: x @ weights[f"{4 if residual else 3}.weight"].T, 64)
    block = 1.0
    if residual:
        block += norm(lambda x: torch.conv2d(x, weights["2.branch.1.weight"], padding=1), 4, 4, 4)
        assert block == pytest.approx(2.0, rel=1e-4)
    assert first * block * last == pytest.approx(4.0, rel=1e-4)


@both
def test_alone_resumed_and_in_a_pack_images_are_the_same_trials(residual: bool) -> None:
    whole, among = picture_pack(residual), picture_configs(residual)
    first = Population(among)
    first.advance(5)
    second = Population(among, first.states())
    second.advance(PICTURED - 5)
    for name, matrix in whole.matrices.items():
        torch.testing.assert_close(second.matrices[name], matrix, rtol=0, atol=0, msg=name)
    for index in (0, 1):
        alone = Population([among[index]])
        alone.advance(PICTURED)
        for name, matrix in alone.matrices.items():
            torch.testing.assert_close(whole.matrices[name][index], matrix[0], rtol=2e-3, atol=1e-4, msg=name)
        for name in ("constraint", "generator_constraint"):
            torch.testing.assert_close(
                whole.state(index)[name], alone.state(0)[name], rtol=1e-2, atol=1e-3, msg=name
            )


def test_penalties_make_critics_flatter_than_they_would_be() -> None:
    constraints = [
        Free(),
        GradientPenalty(weight=20.0, target=0.2),
        GradientPenalty(weight=20.0, target=0.2, side="one"),
        R1(weight=5.0),
    ]
    population = Population([trial(MLP, Gan(), c, iterations=40) for c in constraints])
    population.advance(40)
    x = population.source.draw(population.noise, Stream.UNSEEN, 0, 200).x

    def score(points: torch.Tensor) -> torch.Tensor:
        return population.networks.score(population.final_critic(), points, [], 0, training=False)

    free, *held = gradient_norms(score, x).mean(dim=1).tolist()
    assert max(held) < 0.7 * free
    bound = population.lipschitz_bound()
    assert bool(torch.isfinite(bound).all())  # the product of norms, which promises less


def test_clipped_weights_lie_within_the_limit_and_so_do_averages() -> None:
    for residual in (False, True):
        population = picture_pack(residual)
        critic = HELD.index(Clipping(limit=0.1))
        generator = next(
            i for i, c in enumerate(population.configs) if c.generator_constraint == Clipping(limit=0.1)
        )
        assert float(population.matrices["critic"][critic].abs().max()) == pytest.approx(0.1)
        assert float(population.matrices["generator"][generator].abs().max()) == pytest.approx(0.1)
        final = population.final_generator()
        assert max(float(values[generator].abs().max()) for values in final.values()) <= 0.1 + 1e-7


def test_trained_weights_are_orthonormal_and_activations_sort() -> None:
    population = pack(prepared=True)
    assert population.critic.parts == Row((Dense("0.weight"), Dense("2.weight"), Dense("4.weight")))
    for name, values in population.final_critic().items():
        if values.ndim == 3:
            for config, found in zip(population.configs, torch.linalg.svdvals(values), strict=True):
                assert isinstance(config.constraint, Bjorck)
                due = torch.full_like(found, config.constraint.lipschitz ** (1 / 3))
                torch.testing.assert_close(found, due, rtol=0.02, atol=0, msg=name)
    critic = Bjorck().prepare(MLP.build_critic((2,), None))
    assert [type(layer).__name__ for layer in critic.children()].count("GroupSort") == 2
