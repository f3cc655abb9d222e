"""On a GPU the iteration is a recorded graph: the same trajectory as on a CPU, for every objective."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from tests.trainables.training.trials import MODELS, varied
from trainables.evaluation.evaluate import evaluate
from trainables.evaluation.settings import EvaluationConfig, ReadingPlan
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
