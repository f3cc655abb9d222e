"""The same 32 trials, one process each (Ray, two at a time) and as packs: trials per second of both, and their ratio.

Both sides run the product's own trainable on an embedded Ray with one CPU per process; Ray's start is not counted. The
third figure puts the stacked loop beside an ordinary eager PyTorch loop of the same model in one process, so that the
ratio is not owed to a slow loop for single trials.
"""

from __future__ import annotations

import argparse
import logging
import os
import shutil
import tempfile
import time
from typing import Any

os.environ.setdefault("TUNE_DISABLE_AUTO_CALLBACK_LOGGERS", "1")
os.environ.setdefault("RAY_AIR_NEW_OUTPUT", "0")
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import ray
import torch
from explorer.launch.trainable import PackTrainable
from ray import tune

from explorer.goals import Goal
from explorer.launch.packing import Orders, Pack, PlannedTrial, make_packs
from explorer.stopping.none import Never
from trainables.config import TrainingConfig, TrialConfig
from trainables.evaluation.settings import EvaluationConfig, ReadingPlan
from trainables.objectives.pr import PR
from trainables.training.population import Population


def trials(count: int, iterations: int, batch: int) -> list[PlannedTrial]:
    configs = [
        TrialConfig(
            objective=PR(lam=0.1 * 1.2**index),
            training=TrainingConfig(iterations=iterations, batch_size=batch),
            seed=index,
        )
        for index in range(count)
    ]
    return [PlannedTrial(config.identity(), config, 0, iterations) for config in configs]


def run(packs: list[Pack], reuse: bool) -> float:
    """Seconds from the first pack's start to the last one's end."""
    storage = tempfile.mkdtemp()
    plan = ReadingPlan(EvaluationConfig(samples=500, every=packs[0].trials[0].end))
    orders = Orders(plan, Never(), (Goal("precision", "max"),))
    try:
        texts = [pack.to_json(orders) for pack in packs]
        tuner = tune.Tuner(
            tune.with_resources(PackTrainable, {"cpu": 1}),
            param_space={
                "storage": storage,
                "cpus": 1,
                "gpus": 0,
                "stopper": "",
                "pack": tune.grid_search(texts),
            },
            tune_config=tune.TuneConfig(reuse_actors=reuse, max_concurrent_trials=2),
            run_config=tune.RunConfig(storage_path=storage, verbose=0),
        )
        began = time.perf_counter()
        results = tuner.fit()
        spent = time.perf_counter() - began
        assert not results.errors, results.errors
        return spent
    finally:
        shutil.rmtree(storage, ignore_errors=True)


def eager_iteration(config: TrialConfig, iterations: int) -> float:
    """Seconds per iteration of a plain loop: nn.Module, torch.optim.Adam, torch.randn."""
    assert isinstance(config.objective, PR)
    model, training, lam = config.model, config.training, config.objective.lam
    law: Any = config.dataset.source().law
    batch = training.batch_size
    generator, critic = model.build_generator((2,), None), model.build_critic((2,), None)
    betas = (training.beta1, training.beta2)
    g_adam = torch.optim.Adam(generator.parameters(), training.generator_lr, betas)
    c_adam = torch.optim.Adam(critic.parameters(), training.critic_lr, betas)
    softplus = torch.nn.functional.softplus

    def iterate() -> None:
        for _ in range(training.critic_steps):
            with torch.no_grad():
                fake = generator(torch.randn(batch, 2))
            real = law.transform(torch.rand(batch), torch.randn(batch, 2))
            w = critic(torch.cat((real, fake)))
            loss = softplus(-w[:batch]).mean() + softplus(w[batch:]).mean()
            c_adam.zero_grad()
            loss.backward()
            c_adam.step()
        capped = (critic(generator(torch.randn(batch, 2))) + torch.tensor(lam).log()).clamp(max=0)
        loss = -capped.mean() if lam >= 1 else -capped.exp().mean() / lam
        g_adam.zero_grad()
        loss.backward()
        g_adam.step()

    for _ in range(10):
        iterate()
    began = time.perf_counter()
    for _ in range(iterations):
        iterate()
    return (time.perf_counter() - began) / iterations


def packed_iteration(planned: list[PlannedTrial], iterations: int) -> float:
    population = Population([t.config for t in planned])
    population.advance(3)
    began = time.perf_counter()
    population.advance(iterations)
    return (time.perf_counter() - began) / iterations / len(planned)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=32)
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--batch", type=int, default=128)
    options: Any = parser.parse_args()
    planned = trials(options.trials, options.iterations, options.batch)
    print(
        f"{options.trials} trials of {options.iterations} iterations, batch {options.batch}, small MLP GAN, 2 slots"
    )

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    run(make_packs(planned[:2], 1), reuse=False)  # warm the file cache
    alone = run(make_packs(planned, 1), reuse=False)
    packed = run(make_packs(planned, -(-options.trials // 2)), reuse=True)
    ray.shutdown()
    print(f"one process each  {options.trials / alone:6.2f} trials/s  ({alone:.1f} s)")
    print(f"packs             {options.trials / packed:6.2f} trials/s  ({packed:.1f} s)")
    print(f"ratio             {alone / packed:6.2f}")

    torch.set_num_threads(1)
    plain = eager_iteration(planned[0].config, 200)
    stacked = packed_iteration(planned[: -(-options.trials // 2)], 40)
    print(f"plain eager loop  {1e3 * plain:6.2f} ms per trial and iteration")
    print(
        f"stacked loop      {1e3 * stacked:6.2f} ms per trial and iteration, {plain / stacked:.2f} times as fast"
    )


if __name__ == "__main__":
    main()
