"""Accounts of trials: shares of seconds, samples by hand, and what a checkpoint carries on."""

from __future__ import annotations

import pytest
import torch

from explorer.launch.meter import Meter, samples
from tests.trainables.training.trials import trial
from trainables.config import TrainingConfig
from trainables.training.population import Population


def test_samples_are_counted_by_hand() -> None:
    training = TrainingConfig(batch_size=10, critic_steps=3, critic_first=2)
    assert samples(training, 2) == 10 * 3 * 2, "the critic alone"
    assert samples(training, 5) == 10 * (3 * 5 + 3)


def test_seconds_are_shared_by_the_trials_of_a_pack() -> None:
    meter, population = Meter(["a", "b", "c"], gpus=0.0), Population([trial(seed=1), trial(seed=2)])
    spent = meter.train(population, ["a", "b"], 3)
    assert population.iteration == 3
    found = {name: meter.diagnostics(name) for name in ("a", "b", "c")}
    assert found["c"] == {}, "it was not trained"
    assert found["a"] == found["b"]
    assert found["a"]["train_seconds"] == pytest.approx(spent / 2)
    rate = samples(population.configs[0].training, 3) / (spent / 2)
    assert found["a"]["samples_per_second"] == pytest.approx(rate)


def test_an_account_is_gone_on_with_and_what_was_lost_here_still_counts() -> None:
    meter = Meter(["a"], gpus=0.5)
    meter.take_up("a", {"iteration": torch.tensor(4)})
    assert meter.account("a").tolist() == [0.0, 0.0]
    meter.take_up("a", {"seconds": torch.tensor([8.0, 3.0], dtype=torch.float64)})
    assert meter.diagnostics("a") == {"train_seconds": 8.0, "gpu_seconds": 3.0}
    meter.take_up("a", {"seconds": torch.tensor([5.0, 2.0], dtype=torch.float64)})
    assert meter.account("a").tolist() == [8.0, 3.0]
