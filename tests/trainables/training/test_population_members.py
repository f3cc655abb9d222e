"""Any module of anyone's: buffers, random passes, labels and one-by-one training keep a trial's trajectory its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Any, ClassVar

import pytest
import torch
from torch import Tensor, nn

from tests.trainables.training.members import Clusters, Conditional, Parts, small
from trainables.config import TrainingConfig, TrialConfig
from trainables.constraints import Constraint
from trainables.constraints.gradient_penalty import GradientPenalty
from trainables.constraints.r1 import R1
from trainables.models import Model
from trainables.models.layers.perceptron import MLPCritic, MLPGenerator
from trainables.objectives.mle import MaximumLikelihood
from trainables.objectives.pr import PR
from trainables.sources.source import Batch
from trainables.training.population import Population

ITERATIONS = 12
MODELS = [
    Parts(generator="batchnorm"),
    Parts(critic="batchnorm"),
    Parts(generator="summing", critic="batchnorm"),
    Parts(critic="summing"),
    Parts(generator="dropout", critic="noise"),
    Parts(generator="noise", critic="dropout"),
]
every = pytest.mark.parametrize("model", MODELS, ids=lambda m: f"{m.generator}-{m.critic}")


def trained(configs: list[TrialConfig], iterations: int = ITERATIONS) -> Population:
    population = Population(configs)
    population.advance(iterations)
    return population


def same(one: Population, other: Population, rows: list[int], exactly: bool) -> None:
    """Rows of ``one`` are all of ``other``: matrices, buffers, and what is drawn and scored."""
    near: dict[str, float] = {"rtol": 0, "atol": 0} if exactly else {"rtol": 1e-3, "atol": 1e-5}
    for name, matrix in other.matrices.items():
        torch.testing.assert_close(one.matrices[name][rows], matrix, **near, msg=name)
    for network, buffers in other.buffers.items():
        for name, values in buffers.items():
            torch.testing.assert_close(one.buffers[network][name][rows], values, **near, msg=name)
    x = one.sample(40, 3).x
    torch.testing.assert_close(x[rows], other.sample(40, 3).x, **near)
    ratios = one.log_ratio(Batch(x))[rows]
    torch.testing.assert_close(ratios, other.log_ratio(Batch(x[rows])), **near)


@every
def test_alone_and_in_a_pack_are_the_same_trial(model: Parts) -> None:
    configs = [small(model, seed=s) for s in range(3)]
    together = trained(configs)
    assert (together.matrices["generator"] != Population(configs).matrices["generator"]).any(dim=1).all()
    for index in (0, 2):
        same(together, trained([configs[index]]), [index], exactly=False)


@every
def test_a_resumed_trial_goes_on_exactly(model: Parts) -> None:
    configs = [small(model, seed=s) for s in range(2)]
    whole, first = trained(configs), trained(configs, 5)
    states = [first.state(i) for i in range(2)]
    first.advance(1)  # a state is a copy
    second = Population(configs, states)
    for index in range(2):
        again = second.state(index)
        assert again.keys() == states[index].keys()
        assert all(torch.equal(again[name], value) for name, value in states[index].items())
    second.advance(ITERATIONS - 5)
    same(second, whole, [0, 1], exactly=True)


@every
def test_the_same_twice_and_different_for_another_seed(model: Parts) -> None:
    torch.manual_seed(1)
    one = trained([small(model)])
    torch.manual_seed(2)  # nothing depends on the global generator
    same(one, trained([small(model)]), [0], exactly=True)
    assert not torch.allclose(
        one.matrices["generator"], trained([small(model, seed=1)]).matrices["generator"]
    )


def test_buffers_of_both_networks_are_in_the_state() -> None:
    population = trained([small(Parts("batchnorm", "summing"), seed=s) for s in range(2)], 3)
    state = population.state(1)
    # Two critic steps and one of the generator an iteration, each a pass of the generator in training.
    assert int(state["generator.1.num_batches_tracked"]) == 3 * 3
    assert torch.equal(state["critic.1.total"], population.buffers["critic"]["1.total"][1])
    assert bool(state["critic.1.total"].any())


def test_evaluation_reads_running_statistics_and_changes_nothing() -> None:
    population = trained([small(Parts("batchnorm", "batchnorm"), seed=s) for s in range(2)])
    before = {n: {k: v.clone() for k, v in b.items()} for n, b in population.buffers.items()}
    x = population.sample(64)
    population.log_ratio(x)
    for network, buffers in before.items():
        for name, values in buffers.items():
            assert torch.equal(population.buffers[network][name], values)
    for row in range(2):
        module = Parts("batchnorm", "batchnorm").build_generator((2,), None).eval()
        nn.utils.vector_to_parameters(population.matrices["average"][row], module.parameters())
        for name, buffer in module.named_buffers():
            buffer.copy_(population.buffers["generator"][name][row])
        latent = population.noise.normal(4, 0, 2048, 2)[row, :64]  # type: ignore[arg-type]
        torch.testing.assert_close(module(latent), x.x[row], rtol=1e-4, atol=1e-5)
    # One point is scored as it is among many: no statistics of the batch.
    alone = population.log_ratio(Batch(x.x[:, :1]))
    torch.testing.assert_close(population.log_ratio(x)[:, :1], alone, rtol=1e-4, atol=1e-5)


def test_noise_of_a_forward_pass_differs_across_steps_and_dropout_ends_with_training() -> None:
    noisy = Population([small(Parts(generator="noise")), small(Parts(generator="noise"), seed=1)])
    assert not torch.equal(noisy.sample(30, 1).x, noisy.sample(30, 2).x)
    torch.testing.assert_close(noisy.sample(30, 1).x, noisy.sample(30, 1).x, rtol=0, atol=0)
    torch.testing.assert_close(noisy.sample(30, 1).x, noisy.sample(3000, 1).x[:, :30], rtol=0, atol=0)
    dropping = Population([small(Parts(generator="dropout"))])
    module = Parts(generator="dropout").build_generator((2,), None).eval()
    nn.utils.vector_to_parameters(dropping.matrices["average"][0], module.parameters())
    latent = dropping.noise.normal(4, 0, 2048, 2)[0, :30]  # type: ignore[arg-type]
    torch.testing.assert_close(dropping.sample(30).x[0], module(latent))


def test_labels_reach_both_networks_and_are_as_frequent_as_in_the_data() -> None:
    configs = [small(Conditional(), seed=s, dataset=Clusters()) for s in range(2)]
    population = trained(configs, 5)
    x, y = population.sample(3000, 2)
    assert y is not None
    assert x.shape == (2, 3000, 2)
    assert y.shape == (2, 3000)
    share = y.double().mean(dim=1)
    assert bool(((share - 0.25).abs() < 5 * (0.25 * 0.75 / 3000) ** 0.5 + 0.02).all())
    ratios = population.log_ratio(Batch(x, y))
    assert ratios.shape == (2, 3000)
    assert not torch.allclose(ratios, population.log_ratio(Batch(x, 1 - y)))
    real = population.real(50)
    assert real.y is not None
    assert torch.equal(real.x[..., 0] > 0, real.y == 1)
    alone = trained([configs[1]], 5)
    for name, matrix in alone.matrices.items():
        torch.testing.assert_close(population.matrices[name][1], matrix[0], rtol=1e-3, atol=1e-5, msg=name)


@pytest.mark.parametrize("constraint", [R1(), GradientPenalty()])
def test_penalties_score_real_points_for_their_own_classes(
    constraint: Constraint, monkeypatch: pytest.MonkeyPatch
) -> None:
    population = Population([small(Conditional(), dataset=Clusters(), constraint=constraint)])
    asked: list[Tensor] = []
    real: list[Tensor] = []
    score, drawn = population.networks.score, population._real

    def heard(parameters: Any, x: Tensor, given: list[Tensor], *more: Any, **named: Any) -> Tensor:
        if not named["training"]:
            asked.extend(given)
        return score(parameters, x, given, *more, **named)

    def noted(*given: Any) -> Batch:
        batch = drawn(*given)
        assert batch.y is not None
        real.append(batch.y)
        return batch

    monkeypatch.setattr(population.networks, "score", heard)
    monkeypatch.setattr(population, "_real", noted)
    population.advance(1)
    assert asked
    assert all(torch.equal(a, b) for a, b in zip(asked, real, strict=True))


def test_a_conditional_model_learns_where_its_classes_are() -> None:
    training = TrainingConfig(
        iterations=300, batch_size=64, critic_steps=1, generator_lr=1e-2, critic_lr=1e-2
    )
    population = trained([small(Conditional(), dataset=Clusters(), training=training)], 300)
    x, y = population.sample(500)
    assert y is not None
    left, right = x[0, y[0] == 0, 0], x[0, y[0] == 1, 0]
    assert float(left.mean()) < -1.0
    assert float(right.mean()) > 1.0


def test_on_data_without_labels_a_conditional_model_takes_none() -> None:
    population = trained([small(Conditional(), dataset=Clusters(labelled=False))], 2)
    assert population.sample(5).y is None


@dataclass(frozen=True)
class Given(Model):
    """Whatever modules a test brings."""

    name: ClassVar[str] = "given"
    builds: ClassVar[tuple[Callable[[], nn.Module], Callable[[], nn.Module]]]

    def build_generator(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        return self.builds[0]()

    def build_critic(self, shape: tuple[int, ...], classes: int | None) -> nn.Module:
        return self.builds[1]()


def given(
    generator: Callable[[], nn.Module] = lambda: MLPGenerator(2, (8,), (2,)),
    critic: Callable[[], nn.Module] = lambda: MLPCritic((2,), (8,)),
    **says: Any,
) -> Model:
    kind = type("Brought", (Given,), {"builds": (generator, critic), **says})
    made: Model = dataclass(frozen=True)(kind)()
    return made


class Branching(nn.Module):
    """Python that looks at the values of tensors."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x) if float(x.detach().sum()) > 0 else 2 * self.layer(x)


def test_a_model_that_does_not_stack_is_trained_one_by_one() -> None:
    model = given(critic=Branching, stacks=False)
    population = trained([small(model)], 3)
    assert torch.isfinite(population.matrices["critic"]).all()
    with pytest.raises(ValueError, match=r"^model 'given' does not stack; train its trials one by one$"):
        Population([small(model), small(model, seed=1)])


def test_a_model_that_cannot_be_stacked_says_what_to_do() -> None:
    population = Population([small(given(critic=Branching), seed=s) for s in range(2)])
    with pytest.raises(ValueError, match=r".") as refusal:
        population.advance(1)
    assert str(refusal.value).startswith("the critic of model 'given' cannot be stacked (vmap: ")
    assert str(refusal.value).endswith("; set stacks = False in its model")


@pytest.mark.parametrize(
    ("modules", "sentence"),
    [
        (
            {"generator": lambda: nn.Linear(2, 3)},
            "the generator of model 'given' must return (2, 2) for two samples, got (2, 3)",
        ),
        (
            {"critic": lambda: nn.Linear(2, 2)},
            "the critic of model 'given' must return (2,) or (2, 1) for two samples, got (2, 2)",
        ),
        ({"critic": nn.Identity}, "the critic of model 'given' must have parameters to train, got none"),
        (
            {"generator": lambda: nn.Linear(5, 2)},
            "the generator of model 'given' cannot take inputs of shape (2, 2): ",
        ),
        ({"critic": lambda: nn.GRU(2, 1)}, "the critic of model 'given' must return a tensor, got tuple"),
    ],
)
def test_modules_that_do_not_fit_are_refused(modules: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=r".") as refusal:
        Population([small(given(**modules))])
    assert str(refusal.value).startswith(sentence)


def test_logits_may_come_flat_or_as_a_column() -> None:
    class Flat(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = MLPCritic((2,), (8,))

        def forward(self, x: Tensor) -> Tensor:
            return self.inner(x).squeeze(-1)

    one, other = (
        trained([small(given(critic=c)) for _ in "ab"], 4) for c in (Flat, lambda: MLPCritic((2,), (8,)))
    )
    torch.testing.assert_close(one.matrices["critic"], other.matrices["critic"], rtol=0, atol=0)


def test_a_density_may_take_lambda() -> None:
    class Shifted(nn.Module):
        """x = z + m log λ."""

        def __init__(self) -> None:
            super().__init__()
            self.m = nn.Parameter(torch.zeros(2))

        def forward(self, z: Tensor, log_lam: Tensor) -> Tensor:
            return z + self.m * log_lam[:, None]

        def log_prob(self, x: Tensor, log_lam: Tensor) -> Tensor:
            z = x - self.m * log_lam[:, None]
            return torch.distributions.Normal(0.0, 1.0).log_prob(z).sum(-1)

    class Critic(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = MLPCritic((2,), (8,))

        def forward(self, x: Tensor, log_lam: Tensor) -> Tensor:
            return self.inner(x + log_lam[:, None])

    model = given(generator=Shifted, critic=Critic, has_density=True, takes_lam=True)
    objective = PR(lam=2.0, lams=(0.5, 4.0), likelihood=1.0, warmup=0)
    population = trained([small(model, objective=objective)], 5)
    x = population.real(30)
    shift = population.final_generator()["m"][0] * log(2.0)
    due = torch.distributions.Normal(0.0, 1.0).log_prob(x.x[0] - shift).sum(-1)
    torch.testing.assert_close(population.log_prob(x)[0], due)


def test_likelihood_alone_trains_any_density() -> None:
    class Scale(nn.Module):
        """x = e^s z + m."""

        def __init__(self) -> None:
            super().__init__()
            self.s, self.m = nn.Parameter(torch.zeros(2)), nn.Parameter(torch.zeros(2))

        def forward(self, z: Tensor) -> Tensor:
            return z * self.s.exp() + self.m

        def log_prob(self, x: Tensor) -> Tensor:
            z = (x - self.m) * (-self.s).exp()
            return torch.distributions.Normal(0.0, 1.0).log_prob(z).sum(-1) - self.s.sum()

    training = TrainingConfig(iterations=300, batch_size=256, critic_steps=1, generator_lr=2e-2, ema=0.9)
    model = given(generator=Scale, has_density=True)
    population = trained([small(model, objective=MaximumLikelihood(), training=training)], 300)
    # The best isotropic-by-axis Gaussian for a ring of radius 2 and σ = 0.2: mean 0, variance 2 + 0.04.
    scale, mean = population.matrices["average"][0].split(2)
    torch.testing.assert_close(scale.exp().square(), torch.full((2,), 2.04), rtol=0.1, atol=0)
    torch.testing.assert_close(mean, torch.zeros(2), rtol=0, atol=0.2)
