"""On a GPU the iteration is a recorded graph: the same trajectory as on a CPU, for every objective."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from tests.trainables.constraints.images import pictures
from tests.trainables.training.trials import MODELS, trial, varied
from trainables.constraints import Constraint
from trainables.constraints.bjorck import Bjorck
from trainables.constraints.clipping import Clipping
from trainables.constraints.gradient_penalty import GradientPenalty
from trainables.constraints.none import Free
from trainables.constraints.r1 import R1
from trainables.constraints.spectral import Spectral
from trainables.evaluation.evaluate import evaluate
from trainables.evaluation.settings import EvaluationConfig, ReadingPlan
from trainables.lipschitz.convolution import ConvOperator
from trainables.training.population import Population

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


@pytest.mark.parametrize("model", sorted(MODELS))
def test_the_graph_follows_the_trajectory_of_the_cpu(model: str) -> None:
    configs = varied(MODELS[model])
    cpu, gpu = Population(configs), Population(configs, device="cuda")
    cpu.advance(20)
    for stride in (2, 1, 7, 10):  # shorter than the warm-up before capture, and across it
        gpu.advance(stride)
    for name, matrix in cpu.matrices.items():
        # sides counts points on either side of a border: one may turn on a rounding.
        atol = 2 / 16 if name == "sides" else 1e-3
        torch.testing.assert_close(gpu.matrices[name].cpu(), matrix, rtol=1e-2, atol=atol, msg=name)


def test_the_critic_alone_has_a_graph_of_its_own() -> None:
    configs = [
        replace(config, training=replace(config.training, critic_first=9))
        for config in varied(MODELS["mlp_gan"])
    ]
    cpu, gpu = Population(configs), Population(configs, device="cuda")
    cpu.advance(20)
    for stride in (5, 2, 8, 5):  # the third goes from one graph to the other
        gpu.advance(stride)
    for name, matrix in cpu.matrices.items():
        atol = 2 / 16 if name == "sides" else 1e-3
        torch.testing.assert_close(gpu.matrices[name].cpu(), matrix, rtol=1e-2, atol=atol, msg=name)


@pytest.mark.parametrize("model", sorted(MODELS))
def test_a_graph_recorded_after_a_resume_goes_on(model: str) -> None:
    configs = varied(MODELS[model])[:5]
    whole = Population(configs, device="cuda")
    whole.advance(20)
    first = Population(configs, device="cuda")
    first.advance(9)
    second = Population(configs, [first.state(i) for i in range(5)], device="cuda")
    second.advance(11)
    for name, matrix in whole.matrices.items():
        atol = 2 / 16 if name == "sides" else 1e-5
        torch.testing.assert_close(second.matrices[name], matrix, rtol=1e-4, atol=atol, msg=name)


def test_populations_leave_the_card_as_they_found_it() -> None:
    config = trial(MODELS["mlp_gan"])
    configs = [
        replace(config, seed=seed, training=replace(config.training, batch_size=200_000)) for seed in range(4)
    ]

    def reserved(count: int) -> int:
        population = Population(configs[:count], device="cuda")
        population.advance(10)
        evaluate(population, ReadingPlan(EvaluationConfig(samples=60)), final=True)
        population.close()
        del population
        torch.cuda.empty_cache()
        return torch.cuda.memory_reserved()

    first = reserved(1)
    later = [reserved(count) for count in (4, 2, 3, 4, 1, 4)]
    assert max(later) <= first + 2**26, [first, *later]


def test_evaluations_of_both_devices_agree() -> None:
    configs = varied(MODELS["mlp_gan"])[:4]
    cpu = Population(configs)
    cpu.advance(5)
    gpu = Population(configs, [cpu.state(i) for i in range(4)], device="cuda")
    plan = ReadingPlan(EvaluationConfig(samples=60))
    for one, other in zip(evaluate(cpu, plan, final=True), evaluate(gpu, plan, final=True), strict=True):
        assert one.diagnostics == pytest.approx(other.diagnostics, rel=1e-2, abs=3 / 60)
        assert [reading.key for reading in one.readings] == [reading.key for reading in other.readings]
        assert one.metrics == pytest.approx(other.metrics, rel=1e-2, abs=3 / 60)


@pytest.mark.parametrize("residual", [False, True])
def test_constraints_of_images_follow_the_trajectory_of_the_cpu(residual: bool) -> None:
    held: list[Constraint] = [Spectral(lipschitz=2.0), Clipping(limit=0.1), GradientPenalty(), R1(), Free()]
    configs = [
        pictures(seed, residual, constraint=one, generator_constraint=Spectral() if seed % 2 else Free())
        for seed, one in enumerate(held)
    ]
    cpu, gpu = Population(configs), Population(configs, device="cuda")
    cpu.advance(8)
    gpu.advance(8)
    for name in ("critic", "generator", "average"):
        torch.testing.assert_close(
            gpu.matrices[name].cpu(), cpu.matrices[name], rtol=1e-2, atol=2e-3, msg=name
        )
    for one, other in (
        (gpu.lipschitz_bound(), cpu.lipschitz_bound()),
        (gpu.generator_lipschitz_bound(), cpu.generator_lipschitz_bound()),
    ):
        torch.testing.assert_close(one.cpu(), other, rtol=1e-2, atol=0)


def test_orthonormal_critics_follow_the_trajectory_of_the_cpu() -> None:
    configs = [trial(constraint=Bjorck(lipschitz=c), seed=i) for i, c in enumerate((0.5, 3.0))]
    cpu, gpu = Population(configs), Population(configs, device="cuda")
    cpu.advance(8)
    gpu.advance(8)
    torch.testing.assert_close(gpu.matrices["critic"].cpu(), cpu.matrices["critic"], rtol=1e-2, atol=2e-3)


@pytest.mark.parametrize("unrolled", [512, 1])
def test_norms_of_convolutions_agree(unrolled: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainables.lipschitz.convolution.UNROLLED", unrolled)
    operator = ConvOperator(4, 3, (4, 4), (8, 8), 2, 1)
    kernel = torch.randn(3, 4, 3, 4, 4, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(operator.norm(kernel.cuda()).cpu(), operator.norm(kernel), rtol=1e-5, atol=0)
