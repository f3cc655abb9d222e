"""A million refined samples on a CPU: seconds a sample of OBRS, DRS and MH, and memory by their number.

    python benchmarks/refined_million.py [--samples 10000 100000 1000000] [--budget 2] [--methods obrs drs mh]

The model is the GAN of 25 Gaussians that comes along (thesis table 6.1: 660,000 parameters a network). Constants are
found on as many ratios as there is room for, in a process of its own, since the ledger of a stream does not count them.
Every stream is run in a process of its own too, which draws, scores, chooses and drops its samples: the peak of its
memory is what a stream holds at a time, beside what importing and loading take.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainables.refinements.budgeted import Budgeted

__all__ = ["main", "stream", "tune"]


def tune(method: str, budget: float, samples: int) -> dict[str, Any]:
    """Constants of a budget, on how many draws and in how many seconds they were found."""
    from trainables.evaluation.refined import tuned_on
    from trainables.samplers.constants import constants_of, pool_ratios
    from trainables.studies.gaussians25_gan import gaussians25_gan

    model, member = gaussians25_gan(), _member(method, budget)
    began = time.perf_counter()
    draws = tuned_on(member, (budget,), samples)
    constants = constants_of(model, member, budget, pool_ratios(model, member, draws, 0), 0)
    return {
        "constants": constants.tolist(),
        "draws": draws,
        "seconds": time.perf_counter() - began,
        "peak": _peak(),
    }


def stream(method: str, budget: float, samples: int, constants: list[list[float]]) -> dict[str, float]:
    """One stream in this process: seconds, calls a sample, peak memory in MB before and after it."""
    import torch

    from trainables.samplers.refining import Refining
    from trainables.studies.gaussians25_gan import gaussians25_gan

    model = gaussians25_gan()
    next(iter(model.pools(0))).log_ratio  # noqa: B018  # whatever is made at the first call
    before = _peak()
    held = Refining(model, _member(method, budget), budget, torch.tensor(constants), 0)
    for _ in held.pieces(samples):
        pass
    ledger = held.ledger
    return {
        "seconds": ledger.seconds,
        "draws": ledger.cost().draws,
        "acceptance": ledger.acceptance,
        "before": before,
        "peak": _peak(),
    }


def _member(method: str, budget: float) -> Budgeted:
    from trainables.refinements import REFINEMENTS
    from trainables.refinements.budgeted import Budgeted

    kind = REFINEMENTS[method]
    assert issubclass(kind, Budgeted)
    return kind(budgets=(budget,))


def _peak() -> float:
    """MB that this process has had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _apart(task: dict[str, Any]) -> dict[str, Any]:
    """What a process of its own found."""
    found: dict[str, Any] = json.loads(
        subprocess.run(
            [sys.executable, __file__, "--task", json.dumps(task)], check=True, capture_output=True, text=True
        ).stdout
    )
    return found


HEADS = (
    "method",
    "samples",
    "us a sample",
    "of OBRS",
    "draws",
    "acceptance",
    "tuning s",
    "peak MB",
    "of it stream",
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run every stream, print a table and ratios."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--budget", type=float, default=2.0)
    parser.add_argument("--methods", nargs="+", default=["obrs", "drs", "mh"])
    parser.add_argument("--task", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.task:
        task = json.loads(options.task)
        print(json.dumps(stream(**task) if "constants" in task else tune(**task)))
        return
    print(" ".join(f"{head:>13}" for head in HEADS))
    first: dict[int, float] = {}
    for count in options.samples:
        for method in options.methods:
            task = {"method": method, "budget": options.budget, "samples": count}
            tuned = _apart(task)
            found = _apart({**task, "constants": tuned["constants"]})
            each = found["seconds"] / count
            first.setdefault(count, each)
            cells = [
                method, f"{count:,}", f"{1e6 * each:.1f}", f"{each / first[count]:.2f}", f"{found['draws']:.3f}",
                f"{found['acceptance']:.4f}", f"{tuned['seconds']:.1f}", f"{found['peak']:.0f}",
                f"{found['peak'] - found['before']:.0f}",
            ]  # fmt: skip
            print(" ".join(f"{cell:>13}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
