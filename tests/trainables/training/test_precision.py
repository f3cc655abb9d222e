"""Products in fewer bits: training feels it, rows and evaluations do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch

from tests.trainables.training.trials import FLOW, MLP, trial
from trainables.config import TrainingConfig, TrialConfig
from trainables.objectives.fgan import Gan
from trainables.objectives.mle import MaximumLikelihood
from trainables.training.compiled import compiled as compiled_by_torch
from trainables.training.population import Population
from trainables.training.precision import network_type, products


def short(**training: object) -> TrialConfig:
    settings = TrainingConfig(iterations=12, batch_size=32, **training)  # type: ignore[arg-type]
    return replace(trial(MLP, Gan()), training=settings)


def trained(config: TrialConfig, iterations: int = 12) -> Population:
    population = Population([config])
    population.advance(iterations)
    return population


def test_bf16_trains_otherwise_and_keeps_rows_in_float32() -> None:
    exact, rounded = trained(short()), trained(short(precision="bf16"))
    for name, matrix in rounded.matrices.items():
        assert matrix.dtype == torch.float32, name
        assert torch.isfinite(matrix).all(), name
    moved = (rounded.matrices["generator"] - exact.matrices["generator"]).abs().max()
    assert 0 < moved < 0.1


def test_evaluations_are_exact_whatever_training_was() -> None:
    rounded = trained(short(precision="bf16"))
    same = Population([short()], [rounded.state(0)])
    assert torch.equal(rounded.sample(64).x, same.sample(64).x)
    assert torch.equal(rounded.log_ratio(rounded.real(64)), same.log_ratio(same.real(64)))


def test_a_resumed_trial_in_bf16_goes_on_exactly() -> None:
    config = short(precision="bf16")
    begun = trained(config, 5)
    resumed = Population([config], [begun.state(0)])
    resumed.advance(7)
    whole = trained(config)
    for name, matrix in whole.matrices.items():
        assert torch.equal(matrix, resumed.matrices[name]), name


def test_on_a_cpu_tf32_is_float32() -> None:
    assert torch.equal(
        trained(short()).matrices["generator"], trained(short(precision="tf32")).matrices["generator"]
    )


@pytest.mark.slow
def test_compiled_networks_train_the_same_trial() -> None:
    plain, compiled = trained(short()), trained(short(compile=True))
    torch.testing.assert_close(
        plain.matrices["generator"], compiled.matrices["generator"], atol=1e-4, rtol=1e-3
    )


@pytest.mark.slow
def test_a_compiled_density_trains_the_same_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def noted(function: Callable[..., Any]) -> Callable[..., Any]:
        made.append(function)
        return compiled_by_torch(function)

    monkeypatch.setattr("trainables.training.stack.compiled", noted)
    flow = replace(short(), model=FLOW, objective=MaximumLikelihood())
    plain, compiled = (
        trained(replace(flow, training=replace(flow.training, compile=compiles)), 4)
        for compiles in (False, True)
    )
    torch.testing.assert_close(
        plain.matrices["generator"], compiled.matrices["generator"], atol=1e-5, rtol=1e-4
    )
    assert len(made) == 3, "the density, the generator and the critic"


def test_precision_and_compilation_part_packs_and_name_trials() -> None:
    kinds = [short(), short(precision="bf16"), short(precision="tf32"), short(compile=True)]
    assert len({config.shape() for config in kinds}) == 4
    assert len({config.identity() for config in kinds}) == 4


def test_an_unknown_precision_has_no_type_of_its_own() -> None:
    assert network_type("bf16") is torch.bfloat16
    assert network_type("tf32") is None


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_products_are_as_asked_and_then_as_before() -> None:
    before = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    with products("float32", torch.device("cuda")):
        assert torch.get_float32_matmul_precision() == "highest"
        assert not torch.backends.cudnn.allow_tf32
    with products("tf32", torch.device("cuda")):
        assert torch.get_float32_matmul_precision() == "high"
        assert torch.backends.cudnn.allow_tf32
    assert (torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32) == before
