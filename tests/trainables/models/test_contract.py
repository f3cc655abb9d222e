"""Every model: shapes, rows of a stack that are plain modules, densities that are densities, one trajectory."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn
from torch.autograd.functional import jacobian
from torch.utils.flop_counter import FlopCounterMode

from tests.trainables.family_contract import (
    check_every_name_is_listed,
    check_imports_without_torch,
    check_member,
)
from tests.trainables.models.pictures import Pictures
from tests.trainables.training.trials import trial
from trainables.models import MODELS, Model
from trainables.models.biggan import BigGan
from trainables.models.dcgan import Dcgan
from trainables.models.glow import Glow
from trainables.models.layers.stacked import stack_of
from trainables.models.mlp_gan import MlpGan
from trainables.models.nice import Nice
from trainables.models.realnvp import RealNvp
from trainables.models.residual import Residual
from trainables.models.resnet_gan import ResnetGan
from trainables.objectives.fgan import Gan
from trainables.training.population import Population
from trainables.training.stack import Stack

MEMBERS: list[Model] = [
    MlpGan(generator=(8, 8), critic=(8, 8), latent=3),
    MlpGan(generator=(8, 8), critic=(8, 8), latent=3, takes_lam=True),
    RealNvp(critic=(8, 8), couplings=3, width=8),
    Dcgan(latent=5, width=4),
    Dcgan(latent=5, width=4, batch_norm=False, takes_lam=True, critic_width=3),
    ResnetGan(latent=5, width=4),
    BigGan(latent=8, width=2),
    BigGan(latent=8, width=2, shared=3, hierarchical=True, attention=8),
    Nice(critic=(8, 8), couplings=3, width=8),
    Glow(critic=(4, 4), levels=1, steps=2, width=8),
    Residual(critic=(8, 8), blocks=1, width=8, block_constant=0.3, tolerance=1e-6),
]
SHAPE = (2,)
SHAPES = {"dcgan": (1, 8, 8), "resnet_gan": (1, 8, 8), "biggan": (1, 32, 32), "glow": (1, 8, 8)}
"""Data that a model is tried on, where points of two coordinates will not do."""
every = pytest.mark.parametrize("member", MEMBERS, ids=lambda member: member.name)
dense = pytest.mark.parametrize(
    "member", [m for m in MEMBERS if m.has_density and m.name not in SHAPES], ids=lambda m: m.name
)


def shape_of(member: Model) -> tuple[int, ...]:
    return SHAPES.get(member.name, SHAPE)


def classes_of(member: Model) -> int | None:
    return 3 if member.conditional else None


def further(member: Model, *lead: int) -> list[Tensor]:
    """What its modules take beside latents or data."""
    labels = [torch.arange(lead[-1]).expand(lead) % 3] if member.conditional else []
    return [*labels, *([0.5 * numbers(*lead, seed=9)] if member.takes_lam else [])]


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
    shape, classes = shape_of(member), classes_of(member)
    member.check_data(shape, classes)
    generator, critic = member.build_generator(shape, classes), member.build_critic(shape, classes)
    z, rest = numbers(7, *member.latent_shape(shape)), further(member, 7)
    x = generator(z, *rest)
    assert x.shape == (7, *shape)
    assert critic(x, *rest).reshape(-1).shape == (7,)
    assert torch.isfinite(x).all()
    assert torch.isfinite(critic(x, *rest)).all()
    if len(shape) == 3:
        assert float(generator.eval()(z, *rest).detach().abs().max()) <= 1


@every
def test_the_gradient_reaches_every_parameter(member: Model) -> None:
    shape, classes = shape_of(member), classes_of(member)
    for build, inner in (
        (member.build_generator, member.latent_shape(shape)),
        (member.build_critic, shape),
    ):
        module = moved(build(shape, classes), scale=0.05)
        out = module(numbers(7, *inner), *further(member, 7))
        loss = (out * numbers(*out.shape, seed=3)).sum()  # a plain sum of logits would be blind to some
        names, parameters = zip(*module.named_parameters(), strict=True)
        for name, gradient in zip(names, torch.autograd.grad(loss, parameters), strict=True):
            assert float(gradient.abs().max()) > 1e-5, name


@every
def test_fresh_modules_differ_and_seeds_decide(member: Model) -> None:
    for build in (member.build_generator, member.build_critic):
        vectors = []
        for seed in (0, 1, 0):
            with torch.random.fork_rng():
                torch.manual_seed(seed)
                module = build(shape_of(member), classes_of(member))
                vectors.append(nn.utils.parameters_to_vector(module.parameters()))
        assert not torch.equal(vectors[0], vectors[1])
        assert torch.equal(vectors[0], vectors[2])


@every
@pytest.mark.parametrize("part", ["generator", "critic"])
def test_a_row_of_a_stack_is_the_plain_module(member: Model, part: str) -> None:
    shape, classes = shape_of(member), classes_of(member)
    build = getattr(member, f"build_{part}")
    stack = Stack(lambda: build(shape, classes))
    flat, buffers = stack.initial([0, 1, 2], torch.device("cpu"))
    flat = flat + 0.05 * numbers(*flat.shape)
    x = numbers(3, 5, *(member.latent_shape(shape) if part == "generator" else shape), seed=1)
    methods = ["forward", "log_prob"] if part == "generator" and member.has_density else ["forward"]
    rows = 3 if member.stacks else 1
    parameters, kept = stack.unflatten(flat[:rows]), {name: b[:rows] for name, b in buffers.items()}
    for method in methods:
        inputs = (x if method == "forward" else numbers(3, 5, *shape, seed=2), *further(member, 3, 5))
        out = stack(parameters, kept, *(t[:rows] for t in inputs), method=method)
        for row in range(rows):
            module = build(shape, classes).eval()
            nn.utils.vector_to_parameters(flat[row], module.parameters())
            for name, buffer in module.named_buffers():
                buffer.copy_(buffers[name][row])
            torch.testing.assert_close(out[row], getattr(module, method)(*(t[row] for t in inputs)))


def passed(
    stack: Stack, flat: Tensor, inputs: list[Tensor], rows: slice, training: bool
) -> tuple[Tensor, ...]:
    """Output, gradient and buffers after a pass of some rows of three."""
    buffers = {name: b[rows] for name, b in stack.initial([0, 1, 2], torch.device("cpu"))[1].items()}
    own = flat[rows].clone().requires_grad_()
    out = stack(stack.unflatten(own), buffers, *(t[rows] for t in inputs), training=training)
    weights = numbers(3, *out.shape[1:], seed=4)[rows] / out[0].numel()
    (gradient,) = torch.autograd.grad((out * weights).sum(), own)
    return out.detach(), gradient, *buffers.values()


@pytest.mark.parametrize("member", [m for m in MEMBERS if m.stacks], ids=lambda m: m.name)
@pytest.mark.parametrize("training", [False, True], ids=["evaluated", "trained"])
@pytest.mark.parametrize("part", ["generator", "critic"])
def test_a_stack_of_three_is_three_stacks_of_one(member: Model, part: str, training: bool) -> None:
    shape, build = shape_of(member), getattr(member, f"build_{part}")
    stack = Stack(lambda: build(shape, classes_of(member)))
    flat = stack.initial([0, 1, 2], torch.device("cpu"))[0]
    flat = flat + 0.05 * numbers(*flat.shape)
    x = numbers(3, 5, *(member.latent_shape(shape) if part == "generator" else shape), seed=1)
    inputs = [x, *further(member, 3, 5)]
    together = passed(stack, flat, inputs, slice(None), training)
    alone = [passed(stack, flat, inputs, slice(row, row + 1), training) for row in range(3)]
    for values, one_by_one in zip(together, zip(*alone, strict=True), strict=True):
        torch.testing.assert_close(values, torch.cat(one_by_one), rtol=1e-5, atol=1e-5)


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


@pytest.mark.parametrize("member", [m for m in MEMBERS if not m.takes_lam], ids=lambda m: m.name)
def test_alone_and_in_a_pack_are_the_same_trial(member: Model) -> None:
    images = member.name in SHAPES
    dataset = Pictures(side=shape_of(member)[1]) if images else None
    configs = [
        trial(member, Gan(), seed=seed, generator_lr=1e-3 * (1 + seed), dataset=dataset) for seed in range(3)
    ]
    if not member.stacks:
        with pytest.raises(ValueError, match="does not stack; train its trials one by one"):
            Population(configs)
        return
    iterations = 4 if images else 12
    together = Population(configs)
    together.advance(iterations)
    assert (together.matrices["generator"] != Population(configs).matrices["generator"]).any(dim=1).all()
    for index, config in enumerate(configs):
        alone = Population([config])
        alone.advance(iterations)
        for name, matrix in alone.matrices.items():
            torch.testing.assert_close(
                together.matrices[name][index], matrix[0], rtol=1e-3, atol=1e-5, msg=name
            )


@every
def test_multiplications_are_those_of_a_forward_pass(member: Model) -> None:
    shape, classes = shape_of(member), classes_of(member)
    count = 500 if member.has_density else 1  # so many that what flows do once for all samples does not show
    counted = member.multiplications(shape, classes)
    if counted is None:
        pytest.skip("it does not tell, so that plans make no estimate")
    for found, build, inner in zip(
        counted,
        (member.build_generator, member.build_critic),
        (member.latent_shape(shape), shape),
        strict=True,
    ):
        module = build(shape, classes).eval()
        with FlopCounterMode(display=False) as counter, torch.no_grad(), stack_of(2):
            module(numbers(count, *inner), *further(member, count))
        exact = 0.1 if member.has_density else 0.02
        assert found == pytest.approx(counter.get_total_flops() / 2 / count, rel=exact)


@every
def test_shorthands_are_fields(member: Model) -> None:
    for key, options in type(member).shorthands.items():
        for option in options:
            spelled = type(member).spelled({key: option})
            assert spelled
            replace(member, **spelled)
