"""Every flow: it inverts both ways, its log-determinant is that of its Jacobian, its samples have its density."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor
from torch.autograd.functional import jacobian

from benchmarks.flow_inversion import inversion, single_flow
from tests.trainables.models.pictures import Pictures
from tests.trainables.training.trials import trial
from trainables.datasets import Dataset
from trainables.datasets.gaussians8 import Gaussians8
from trainables.models import Model
from trainables.models.glow import Glow
from trainables.models.layers.bijection import Bijection
from trainables.models.nice import Nice
from trainables.models.realnvp import RealNvp
from trainables.models.residual import Residual
from trainables.objectives.fgan import ReverseKL
from trainables.objectives.mle import MaximumLikelihood
from trainables.objectives.pr import PR
from trainables.training.population import Population
from trainables.training.stack import Stack

RESIDUAL = Residual(critic=(4,), blocks=3, width=8, block_constant=0.7, tolerance=1e-6, exact=16, levels=1)
FLOWS: list[tuple[Model, tuple[int, ...]]] = [
    (Nice(critic=(4,), width=8), (2,)),
    (Nice(critic=(4,), width=8), (1, 3, 3)),
    (RealNvp(critic=(4,), width=8), (2,)),
    (RealNvp(critic=(4,), couplings=2, width=8, levels=2), (1, 4, 4)),
    (Glow(critic=(4,), levels=2, steps=2, width=8), (1, 4, 4)),
    (Glow(critic=(4,), levels=2, steps=1, width=8, split=False), (1, 4, 4)),
    (RESIDUAL, (1,)),
    (RESIDUAL, (2,)),
    (RESIDUAL, (1, 4, 4)),
]
every = pytest.mark.parametrize(("member", "shape"), FLOWS, ids=lambda v: getattr(v, "name", str(v)))
STEPS = 4


def numbers(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def flow(member: Model, shape: tuple[int, ...], scale: float = 0.1) -> Bijection:
    """Not at the identity, where flows begin."""
    member.check_data(shape, None)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        module = member.build_generator(shape, None)
    assert isinstance(module, Bijection)
    with torch.no_grad():
        for index, parameter in enumerate(module.parameters()):
            parameter.add_(scale * numbers(*parameter.shape, seed=index))
    return module


def close(found: Tensor, wanted: Tensor, within: float) -> bool:
    """Every number, without any allowance for large ones."""
    return float((found - wanted).abs().max()) < within


def data(count: int, shape: tuple[int, ...]) -> Tensor:
    """Points, or pixels of [-1, 1] with the noise of 17 grey levels on them."""
    x = numbers(count, *shape, seed=7)
    return x if len(shape) == 1 else 1.0625 * torch.tanh(2 * x)


@every
@pytest.mark.parametrize("way", ["transform", "walk"])
def test_it_inverts_both_ways(member: Model, shape: tuple[int, ...], way: str) -> None:
    """In double and in float32."""
    module = flow(member, shape)
    go = getattr(module, way)
    z, x = numbers(20, *shape), data(20, shape)
    with torch.no_grad():
        made, forward = go(z, inverse=False)
        back, backward = go(made, inverse=True)
        within = 1e-8 if way == "transform" else 1e-4
        assert close(back, z, within)
        torch.testing.assert_close(forward, -backward, rtol=1e-3, atol=1e-3)
        assert close(go(go(x, inverse=True)[0], inverse=False)[0], x, within)
    assert made.dtype == (torch.float64 if way == "transform" else torch.float32)
    assert float((made - z).abs().mean()) > 0.02


@pytest.mark.parametrize(
    ("member", "shape"),
    [(member, shape) for member, shape in FLOWS if len(shape) == 3],
    ids=lambda v: getattr(v, "name", str(v)),
)
@pytest.mark.parametrize("way", ["transform", "walk"])
def test_what_lies_far_beyond_black_and_white_is_found_again(
    member: Model, shape: tuple[int, ...], way: str
) -> None:
    # Where a critic drives a flow that has no likelihood to hold it.
    module, z = flow(member, shape), 12 * numbers(20, *shape)
    go = getattr(module, way)
    with torch.no_grad():
        made, forward = go(z, inverse=False)
        back, backward = go(made, inverse=True)
    assert float(made.abs().max()) > 10
    # Numbers that large have fewer digits after the point in float32.
    assert close(back, z, 1e-8 if way == "transform" else 1e-5 * float(z.abs().max()))
    torch.testing.assert_close(forward, -backward, rtol=1e-3, atol=1e-3)


TRAINED: list[tuple[Model, Dataset, int]] = [
    (RealNvp(critic=(8, 8), width=16), Gaussians8(), 60),
    (RESIDUAL, Gaussians8(), 10),
    (Nice(critic=(8, 8), width=16), Pictures(labelled=False), 60),
    (RealNvp(critic=(8, 8), couplings=2, width=8, levels=2), Pictures(labelled=False), 60),
    (Glow(critic=(8, 8), levels=2, steps=2, width=8), Pictures(labelled=False), 60),
    (
        Residual(critic=(8, 8), blocks=1, width=4, block_constant=0.5, levels=1),
        Pictures(4, labelled=False),
        10,
    ),
]


LONG = {"realnvp-pictures", "glow-pictures"}


@pytest.mark.parametrize(
    ("member", "dataset", "iterations"),
    [
        pytest.param(*one, id=name, marks=[pytest.mark.slow] if name in LONG else [])
        for one in TRAINED
        for name in [f"{one[0].name}-{one[1].name}"]
    ],
)
def test_trained_flows_invert(member: Model, dataset: Dataset, iterations: int) -> None:
    objectives = (
        MaximumLikelihood(),
        PR(lam=0.2, likelihood=0.01, warmup=iterations // 4),
        PR(lam=6, likelihood=0.01, warmup=iterations // 4),
        PR(lam=0.2, warmup=iterations // 4),
        ReverseKL(),
    )
    rates = {"generator_lr": 4e-3, "critic_lr": 4e-3}
    pack = Population(
        [trial(member, end, seed=5, dataset=dataset, iterations=iterations, **rates) for end in objectives]
    )
    real, z = pack.real(64), numbers(64, *dataset.shape)
    before = pack.log_prob(real).mean(1)
    pack.advance(iterations)
    assert bool((pack.log_prob(real).mean(1) > before)[0])
    for row, (x, objective) in enumerate(zip(real.x, objectives, strict=True)):
        found = inversion(single_flow(pack, row), z, x)
        assert float(found.double.max()) < 1e-8
        if getattr(objective, "likelihood", 1.0):  # which holds the flow
            assert float(found.single.max()) < 1e-4
            assert found.data < 1e-4


@every
@pytest.mark.parametrize("inverse", [False, True])
def test_the_log_determinant_is_that_of_the_jacobian(
    member: Model, shape: tuple[int, ...], inverse: bool
) -> None:
    module, size = flow(member, shape).double(), math.prod(shape)
    points = (data(3, shape) if inverse else numbers(3, *shape)).double()
    found = module.transform(points, inverse)[1]
    for point, log_det in zip(points, found, strict=True):
        matrix = jacobian(lambda value: module.transform(value[None], inverse)[0][0], point)
        assert isinstance(matrix, Tensor)
        volume = torch.linalg.slogdet(matrix.reshape(size, size)).logabsdet
        torch.testing.assert_close(log_det, volume, rtol=1e-6, atol=1e-6)


@every
def test_forward_is_the_transform_and_images_are_images(member: Model, shape: tuple[int, ...]) -> None:
    module, z = flow(member, shape), 3 * numbers(20, *shape)
    with torch.no_grad():
        made = module.walk(z, inverse=False)[0]
        torch.testing.assert_close(module(z), made)
        torch.testing.assert_close(module.transform(z, inverse=False)[0].float(), made, rtol=1e-4, atol=1e-4)
        shown = module.eval()(z)
    limit = 1.0 if len(shape) == 3 else math.inf
    torch.testing.assert_close(shown, made.clamp(-limit, limit))


@pytest.mark.parametrize(
    ("member", "shape"),
    [(member, shape) for member, shape in FLOWS if math.prod(shape) <= 2],
    ids=lambda v: getattr(v, "name", str(v)),
)
def test_the_density_of_samples_is_theirs(member: Model, shape: tuple[int, ...]) -> None:
    # E_Q[w(x) / q(x)] is the integral of w, whatever Q: here w is a narrow Gaussian about a sample.
    module = flow(member, shape).double()
    spread, centre = 0.4, module(numbers(1, *shape, seed=3).double()).detach()
    with torch.no_grad():
        x = module(numbers(5_000, *shape, seed=4).double())
        weight = torch.distributions.Normal(centre, spread).log_prob(x).sum(-1)
        shares = (weight - module.log_prob(x)).exp()
    error = float(shares.std()) / len(shares) ** 0.5
    assert error < 0.1
    assert float(shares.mean()) == pytest.approx(1.0, abs=5 * error)


@every
@pytest.mark.parametrize("method", ["forward", "log_prob"])
def test_a_stack_of_three_is_three_of_one(member: Model, shape: tuple[int, ...], method: str) -> None:
    stack = Stack(lambda: member.build_generator(shape, None))
    flat, buffers = stack.initial([0, 1, 2], torch.device("cpu"))
    flat = (flat + 0.05 * numbers(*flat.shape)).requires_grad_()
    inputs = torch.stack([data(4, shape), numbers(4, *shape), 0.5 * numbers(4, *shape, seed=1)])
    inputs = inputs.clamp(-1, 1) if len(shape) == 3 else inputs

    def passed(rows: slice) -> tuple[Tensor, Tensor]:
        own = {name: values[rows] for name, values in buffers.items()}
        out = stack(stack.unflatten(flat[rows]), own, inputs[rows], training=True, method=method)
        (gradient,) = torch.autograd.grad(out.square().mean(-1).sum(), flat)
        return out, gradient[rows]

    together = passed(slice(None))
    alone = [passed(slice(row, row + 1)) for row in range(3)]
    for values, one_by_one in zip(together, zip(*alone, strict=True), strict=True):
        scale = float(values.detach().abs().max())
        torch.testing.assert_close(values, torch.cat(one_by_one), rtol=1e-4, atol=1e-4 * scale)


@pytest.mark.parametrize(
    "member",
    [
        Nice(critic=(4, 4), width=8),
        RealNvp(critic=(4, 4), couplings=2, width=4, levels=1),
        Glow(critic=(4, 4), levels=1, steps=1, width=4),
        Residual(critic=(4, 4), blocks=1, width=4, block_constant=0.3, levels=1),
    ],
    ids=lambda member: member.name,
)
def test_images_are_learned_and_a_pack_resumes(member: Model) -> None:
    dataset = Pictures(side=4, labelled=False)
    configs = [
        trial(member, MaximumLikelihood(), seed=seed, dataset=dataset, generator_lr=1e-2, batch_size=8)
        for seed in (0, 1)
    ]
    pack = Population(configs)
    real = pack.real(64)
    before = pack.log_prob(real).mean(1)
    pack.advance(STEPS)
    resumed = Population(configs, pack.states())
    alone = Population(configs[1:], [pack.state(1)])
    for one in (pack, resumed, alone):
        one.advance(STEPS)
    for name, matrix in pack.matrices.items():
        torch.testing.assert_close(resumed.matrices[name], matrix, rtol=0, atol=0, msg=name)
        torch.testing.assert_close(alone.matrices[name][0], matrix[1], rtol=1e-3, atol=1e-4, msg=name)
    assert bool((pack.log_prob(real).mean(1) > before).all())
    assert float(pack.sample(5).x.abs().max()) <= 1.0
