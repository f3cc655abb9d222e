"""What witnesses and curves by every estimator add to the final evaluation of a trial, in parts of a hundred.

    python benchmarks/closer_look.py [--presets demo digits-gan] [--trials 16] [--iterations 300] [--device cuda]

The trials of a preset, trained for a while from scratch, are evaluated for good, and the time of the closer look is
taken inside of each evaluation, so that both see the same machine: CPU time, on a card time until it is done. The
median of the shares counts. Files are what the driver makes of them: those there were, and those that explain.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from unittest.mock import patch

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from explorer.launch.extra_files import extra_files
from explorer.launch.recorder import files_of
from explorer.sweep.document import load_sweep
from trainables.evaluation.closer_look import CloserLook
from trainables.evaluation.evaluate import evaluate, prepare
from trainables.metrics.pairs import Pairs
from trainables.training.population import Population


class Meter:
    """Time that goes into closer looks."""

    def __init__(self, device: str) -> None:
        self._device = device
        self._take = CloserLook.take
        self.spent = 0.0

    def now(self) -> float:
        """CPU time; of a card, time until it is done."""
        if self._device == "cpu":
            return time.process_time()
        torch.cuda.synchronize()
        return time.perf_counter()

    def take(self, look: CloserLook, pairs: Pairs, sets: Sequence[int]) -> None:
        """A look, metered."""
        began = self.now()
        self._take(look, pairs, sets)
        self.spent += self.now() - began


def measured(preset: str, trials: int, iterations: int, device: str, repeats: int) -> str:
    """One preset, in a line."""
    sweep = load_sweep(preset)
    grid = [replace(config, start=None) for point in sweep.space.grid() for config in sweep.repeats(point)]
    population = Population(grid[:trials], device=device)
    prepare(grid[0].dataset, sweep.plan, device)
    population.advance(iterations)
    found = evaluate(population, sweep.plan, final=True)
    count, rest, looks = len(found), [], []
    for _ in range(repeats):
        meter = Meter(device)
        with patch.object(
            CloserLook, "take", lambda self, pairs, sets, meter=meter: meter.take(self, pairs, sets)
        ):
            began = meter.now()
            evaluate(population, sweep.plan, final=True)
            whole = meter.now() - began
        looks.append(1000 * meter.spent / count)
        rest.append(1000 * whole / count - looks[-1])
    share = median(look / other for look, other in zip(looks, rest, strict=True))
    files = []
    for make in (files_of, extra_files):
        began = time.process_time()
        for one in found:
            make(one)
        files.append(1000 * (time.process_time() - began) / count)
    return (
        f"{preset}: {count} trials, a final evaluation {median(rest):.1f} ms a trial and {median(looks):.1f} ms for "
        f"the closer look: {share:+.1%}; files {files[0]:.1f} ms, and {files[1]:.1f} ms for those that explain"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--presets", nargs="+", default=["demo", "digits-gan"])
    parser.add_argument("--trials", type=int, default=16)
    parser.add_argument("--iterations", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--device", default="cpu")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    for preset in asked.presets:
        print(measured(preset, asked.trials, asked.iterations, asked.device, asked.repeats), flush=True)


if __name__ == "__main__":
    main()
