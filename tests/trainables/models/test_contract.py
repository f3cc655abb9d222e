"""Every model: shapes, rows of a stack that are plain modules, densities that are densities, one trajectory."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn
from torch.autograd.functional import jacobian

from tests.trainables.family_contract import (
    check_every_name_is_listed,
    check_imports_without_torch,
    check_member,
)
from tests.trainables.training.trials import trial
from trainables.models import MODELS, Model
from trainables.models.mlp_gan import MlpGan
from trainables.models.realnvp import RealNvp
from trainables.objectives.fgan import Gan
from trainables.training.population import Population
from trainables.training.stack import Stack

MEMBERS: list[Model] = [
    MlpGan(generator=(8, 8), critic=(8, 8), latent=3),
    RealNvp(critic=(8, 8), couplings=3, width=8),
]
SHAPE = (2,)
every = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
dense = pytest.mark.parametrize("member", [m for m in MEMBERS if m.has_density], ids=lambda m: m.name)


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def moved(module: nn.Module, scale: float = 0.3) -> nn.Module:
    """Not the initial values: a flow starts at the identity."""
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(scale * torch.randn(parameter.shape, generator=generator))
    return module


def test_every_model_is_under_the_contract() -> None:
    check_every_name_is_listed(MODELS, MEMBERS)


def test_models_are_named_without_torch() -> None:
    check_imports_without_torch("trainables.models")


@every
def test_a_model_is_a_member(member: Model) -> None:
    check_member(MODELS, member)


@every
def test_latents_become_samples_and_samples_logits(member: Model) -> None:
    member.check_data(SHAPE, None)
    generator, critic = member.build_generator(SHAPE, None), member.build_critic(SHAPE, None)
    z = numbers(7, *member.latent_shape(SHAPE))
    x = generator(z)
    assert x.shape == (7, *SHAPE)
    assert critic(x).reshape(-1).shape == (7,)
    assert torch.isfinite(x).all()
    assert torch.isfinite(critic(x)).all()
    for module, inputs in ((generator, z), (critic, x.detach())):
        gradients = torch.autograd.grad(module(inputs).square().sum(), list(module.parameters()))
        assert any(bool((g != 0).any()) for g in gradients)


@every
def test_fresh_modules_differ_and_seeds_decide(member: Model) -> None:
    for build in (member.build_generator, member.build_critic):
        vectors = []
        for seed in (0, 1, 0):
            with torch.random.fork_rng():
                torch.manual_seed(seed)
                vectors.append(nn.utils.parameters_to_vector(build(SHAPE, None).parameters()))
        assert not torch.equal(vectors[0], vectors[1])
        assert torch.equal(vectors[0], vectors[2])


@every
@pytest.mark.parametrize("part", ["generator", "critic"])
def test_a_row_of_a_stack_is_the_plain_module(member: Model, part: str) -> None:
    build = getattr(member, f"build_{part}")
    stack = Stack(lambda: build(SHAPE, None))
    flat, buffers = stack.initial([0, 1, 2], torch.device("cpu"))
    flat = flat + 0.2 * numbers(*flat.shape)
    x = numbers(3, 5, *(member.latent_shape(SHAPE) if part == "generator" else SHAPE), seed=1)
    methods = ["forward", "log_prob"] if part == "generator" and member.has_density else ["forward"]
    for method in methods:
        inputs = x if method == "forward" else numbers(3, 5, *SHAPE, seed=2)
        out = stack(stack.unflatten(flat), buffers, inputs, method=method)
        for row in range(3):
            module = build(SHAPE, None).eval()
            nn.utils.vector_to_parameters(flat[row], module.parameters())
            torch.testing.assert_close(out[row], getattr(module, method)(inputs[row]))


@dense
def test_the_density_is_a_change_of_variables(member: Model) -> None:
    generator = moved(member.build_generator(SHAPE, None)).double()
    for z in numbers(6, *SHAPE).double():
        matrix = jacobian(lambda value: generator(value[None])[0], z)
        assert isinstance(matrix, Tensor)
        volume = torch.linalg.slogdet(matrix.reshape(z.numel(), z.numel())).logabsdet
        expected = torch.distributions.Normal(0.0, 1.0).log_prob(z).sum() - volume
        found = generator.log_prob(generator(z[None]))[0]
        torch.testing.assert_close(found, expected, rtol=1e-8, atol=1e-8)


@dense
def test_the_density_integrates_to_one(member: Model) -> None:
    generator = moved(member.build_generator(SHAPE, None), scale=0.15).double()
    line = torch.linspace(-12, 12, 481, dtype=torch.float64)
    with torch.no_grad():
        density = generator.log_prob(torch.cartesian_prod(line, line)).exp()
    assert float(density.sum()) * float(line[1] - line[0]) ** 2 == pytest.approx(1.0, abs=1e-3)


@every
def test_alone_and_in_a_pack_are_the_same_trial(member: Model) -> None:
    configs = [trial(member, Gan(), seed=seed, generator_lr=1e-3 * (1 + seed)) for seed in range(3)]
    if not member.stacks:
        with pytest.raises(ValueError, match="does not stack; train its trials one by one"):
            Population(configs)
        return
    together = Population(configs)
    together.advance(12)
    assert (together.matrices["generator"] != Population(configs).matrices["generator"]).any(dim=1).all()
    for index, config in enumerate(configs):
        alone = Population([config])
        alone.advance(12)
        for name, matrix in alone.matrices.items():
            torch.testing.assert_close(
                together.matrices[name][index], matrix[0], rtol=1e-3, atol=1e-5, msg=name
            )


@every
def test_multiplications_are_positive_and_near_the_number_of_weights(member: Model) -> None:
    counted = member.multiplications(SHAPE, None)
    if counted is None:
        pytest.skip("it does not tell, so that plans make no estimate")
    for found, module in zip(
        counted, (member.build_generator(SHAPE, None), member.build_critic(SHAPE, None)), strict=True
    ):
        weights = sum(p.numel() for p in module.parameters() if p.ndim > 1)
        assert found > 0
        assert weights <= found <= 100 * weights


@every
def test_shorthands_are_fields(member: Model) -> None:
    for key, options in type(member).shorthands.items():
        for option in options:
            spelled = type(member).spelled({key: option})
            assert spelled
            replace(member, **spelled)
