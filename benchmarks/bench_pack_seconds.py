"""Where the seconds of a pack go: training, evaluation at a stop, final reading at four budgets, checkpoint, restart.

    python benchmarks/bench_pack_seconds.py [--sizes 64 256 512] [--iterations 2000] [--device cuda]

Small MLP GANs on the default dataset, read as by default: 1,000 samples, K = 1, 1.5, 2, 4, precision, recall, density,
coverage, FID, modes and the PR curve. Evaluations are timed at their second call: the first one of a process also
prepares the real side, which is told apart. Best of ``--repeats`` for all but training.
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from trainables.config import TrainingConfig, TrialConfig
from trainables.evaluation.evaluate import evaluate
from trainables.evaluation.settings import ReadingPlan
from trainables.objectives.pr import PR
from trainables.training.checkpoints import CheckpointFolder
from trainables.training.population import Population


def trials(count: int, iterations: int) -> list[TrialConfig]:
    training = TrainingConfig(iterations=iterations)
    return [
        TrialConfig(objective=PR(lam=0.1 * 100 ** (index / count)), training=training, seed=index)
        for index in range(count)
    ]


def seconds(action: Callable[[], object], device: torch.device, repeats: int = 1) -> float:
    times = []
    for _ in range(repeats):
        if device.type == "cuda":
            torch.cuda.synchronize()
        began = time.perf_counter()
        action()
        if device.type == "cuda":
            torch.cuda.synchronize()
        times.append(time.perf_counter() - began)
    return min(times)


def states(population: Any) -> list[dict[str, torch.Tensor]]:
    """Copies of all rows; populations of earlier versions give them one at a time."""
    if hasattr(population, "states"):
        return list(population.states())
    return [population.state(index) for index in range(len(population.configs))]


def measure(size: int, iterations: int, device: torch.device, repeats: int) -> dict[str, float]:
    configs = trials(size, iterations)
    names = [config.identity() for config in configs]
    population: Population = Population(configs, device=device)
    found = {"train": seconds(lambda: population.advance(iterations), device)}
    plan = ReadingPlan()
    found["first look"] = seconds(lambda: evaluate(population, plan, final=False), device)
    found["stop"] = seconds(lambda: evaluate(population, plan, final=False), device, repeats)
    found["final"] = seconds(lambda: evaluate(population, plan, final=True), device, repeats)
    with tempfile.TemporaryDirectory() as folder:
        place = CheckpointFolder(folder)

        def save() -> None:
            place.save(dict(zip(names, states(population), strict=True)))

        found["save"] = seconds(save, device, repeats)
        found["load"] = seconds(
            lambda: [place.load(name, population.iteration) for name in names], device, repeats
        )
    return found


def machine(device: torch.device) -> str:
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{platform.machine()} CPU, {torch.get_num_threads()} threads"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[64, 256, 512])
    parser.add_argument("--iterations", type=int, help="2000 on a GPU, 20 on a CPU unless given")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_args()
    device = torch.device(options.device)
    iterations = options.iterations or (2000 if device.type == "cuda" else 20)
    print(f"{machine(device)}, torch {torch.__version__}; seconds of a pack, {iterations} iterations")
    print(f"{'trials':>6} {'train':>8} {'first look':>11} {'stop':>8} {'final':>8} {'save':>8} {'load':>8}")
    for size in options.sizes:
        found = measure(size, iterations, device, options.repeats)
        cells = " ".join(f"{found[name]:8.3f}" for name in ("stop", "final", "save", "load"))
        print(f"{size:6d} {found['train']:8.3f} {found['first look']:11.3f} {cells}", flush=True)


if __name__ == "__main__":
    main()
