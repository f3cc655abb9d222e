"""Generator and critic of a pack are called with their buffers, labels and random numbers, row by row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
import torch
from torch import Tensor, nn

from tests.trainables.training.members import Clusters, Conditional, Noisy, Parts
from tests.trainables.training.trials import FLOW, MLP
from trainables.datasets.gaussians8 import Gaussians8
from trainables.models import Model
from trainables.models.layers.couplings import RealNVP
from trainables.models.realnvp import RealNvp
from trainables.randomness import Noise
from trainables.training.networks import Networks

CPU = torch.device("cpu")


def made(model: Model, *seeds: int, dataset: Any = None) -> tuple[Networks, Tensor, Tensor]:
    networks = Networks(model, (dataset or Gaussians8()).source(), Noise(torch.tensor(seeds)))
    return networks, *networks.initial(seeds, CPU)


def numbers(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


def test_fresh_networks_depend_on_their_seed_alone_and_are_apart() -> None:
    _, generator, critic = made(MLP, 3, 8)
    _, own_generator, own_critic = made(MLP, 8)
    assert torch.equal(generator[1:], own_generator)
    assert torch.equal(critic[1:], own_critic)
    assert not torch.equal(critic[0], critic[1])


def test_logits_are_softly_bounded_with_slope_at_most_one() -> None:
    networks, _, critic = made(MLP, 0, 1)
    x = numbers(2, 50, 2).requires_grad_()
    raw = networks.critic(networks.critic.unflatten(critic), {}, x).squeeze(-1)
    logit = networks.score(networks.critic.unflatten(critic), x, [], 0, training=False)
    torch.testing.assert_close(logit, 30 * torch.tanh(raw / 30))
    (bounded,) = torch.autograd.grad(logit.sum(), x)
    (free,) = torch.autograd.grad(networks.critic(networks.critic.unflatten(critic), {}, x).sum(), x)
    assert bool((bounded.norm(dim=-1) <= free.norm(dim=-1) * (1 + 1e-5)).all())
    wild = networks.score(networks.critic.unflatten(1e4 * critic), x, [], 0, training=False)
    assert float(wild.detach().abs().max()) <= 30.0


@pytest.mark.parametrize("part", ["noise", "dropout"])
def test_random_passes_are_pure_in_seed_and_step(part: str) -> None:
    def draw(seeds: tuple[int, ...], step: int) -> Tensor:
        networks, generator, _ = made(Parts(generator=part), *seeds)
        latent = numbers(1, 6, 2).expand(len(seeds), -1, -1)
        return networks.generate(networks.generator.unflatten(generator), latent, [], step, training=True)

    together = draw((4, 9), 5)
    torch.testing.assert_close(together[1:], draw((9,), 5), rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(draw((4, 9), 5), together, rtol=0, atol=0)
    assert not torch.allclose(draw((4, 9), 6), together)


def test_generator_and_critic_do_not_share_random_numbers() -> None:
    networks, generator, critic = made(Parts("noise", "noise"), 1)
    drawn: dict[str, Tensor] = {}
    for stack in (networks.generator, networks.critic):
        (noisy,) = [m for m in stack._face.modules() if isinstance(m, Noisy)]
        noisy.register_forward_hook(
            lambda module, inputs, out, who=stack.what: drawn.update({who: out - inputs[0]})
        )
    x = numbers(1, 6, 2)
    networks.generate(networks.generator.unflatten(generator), x, [], 3, training=False)
    networks.score(networks.critic.unflatten(critic), x, [], 3, training=False)
    one, other = drawn.values()
    assert one.shape == other.shape == (6, 8)
    assert not torch.isclose(one, other).any()


class Dequantising(RealNVP):
    """A density of whole numbers: spread over their cells in ``log_prob`` alone."""

    def log_prob(self, x: Tensor) -> Tensor:
        return super().log_prob(x + torch.rand_like(x))


@dataclass(frozen=True)
class Whole(RealNvp):
    name: ClassVar[str] = "whole"

    def build_generator(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        return Dequantising(shape[0], 2, 8)


@pytest.mark.parametrize("seeds", [(4,), (4, 9)])
def test_a_density_that_draws_can_be_repeated(seeds: tuple[int, ...]) -> None:
    networks, generator, _ = made(Whole(), *seeds)
    parameters, x = networks.generator.unflatten(generator), numbers(len(seeds), 6, 2)

    def density(step: int) -> Tensor:
        return networks.density(parameters, x, [], step, training=True)

    torch.testing.assert_close(density(3), density(3), rtol=0, atol=0)
    assert not torch.allclose(density(3), density(4))


@dataclass(frozen=True)
class Summed(RealNvp):
    name: ClassVar[str] = "summed"

    def build_generator(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        module = super().build_generator(shape, classes)
        density = module.log_prob
        module.log_prob = lambda x: density(x).sum()
        return module


def test_a_density_is_one_number_a_sample() -> None:
    with pytest.raises(ValueError, match=r"log_prob of the generator of model 'summed' must return \(2,\)"):
        made(Summed(), 1)


def test_some_rows_are_scored_as_in_the_whole() -> None:
    for part in ("batchnorm", "dropout"):
        networks, _, critic = made(Parts(critic=part), 0, 1, 2)
        rows, x = torch.tensor([2, 0]), numbers(3, 6, 2)
        parameters = networks.critic.unflatten(critic)
        whole = networks.score(parameters, x, [], 7, training=False)
        some = networks.score(
            {name: values[rows] for name, values in parameters.items()},
            x[rows],
            [],
            7,
            training=False,
            pick=lambda values, rows=rows: values[rows],
        )
        torch.testing.assert_close(some, whole[rows])


def test_labels_are_for_models_that_take_them() -> None:
    networks, _, _ = made(Conditional(), 0, 1, dataset=Clusters())
    assert networks.conditional
    (labels,) = networks.labels(3, 40)
    assert labels.shape == (2, 40)
    assert torch.equal(networks.labels(torch.tensor(3), 40)[0], labels)
    assert networks.given(labels) == [labels]
    assert networks.given(None) == []
    for model, dataset in ((MLP, Clusters()), (Conditional(), Clusters(labelled=False))):
        plain, _, _ = made(model, 0, dataset=dataset)
        assert not plain.conditional
        assert plain.labels(3, 40) == []
        assert plain.given(labels) == []


def test_density_is_the_generators_own() -> None:
    networks, generator, _ = made(FLOW, 0, 1)
    x = numbers(2, 9, 2)
    found = networks.density(networks.generator.unflatten(generator), x, [], 0, training=False)
    # A flow starts at the identity: log N(x; 0, I).
    torch.testing.assert_close(found, torch.distributions.Normal(0.0, 1.0).log_prob(x).sum(-1))
    assert networks.latent_shape == (2,)
