"""A million refined samples on a CPU: seconds a sample of OBRS, DRS and MH, and memory by their number.

    python benchmarks/refined_million.py [--samples 10000 100000 1000000] [--budget 2] [--methods obrs drs mh]

The model is the GAN of 25 Gaussians that comes along (thesis table 6.1: 660,000 parameters a network). Every stream is
run in a process of its own, which draws, scores, chooses and drops its samples: the peak of its memory is what a stream
holds at a time, beside what importing and loading take. Constants are found on as many ratios as there is room for,
before; told apart, since the ledger of a stream does not count them.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Sequence

__all__ = ["main", "stream"]


def stream(method: str, budget: float, samples: int) -> dict[str, float]:
    """One stream in this process: seconds, calls a sample, peak memory in MB before and after it."""
    from trainables.evaluation.refined import tuned_on
    from trainables.refinements import REFINEMENTS
    from trainables.refinements.budgeted import Budgeted
    from trainables.samplers.refining import Refining, constants_of, pool_ratios
    from trainables.studies.gaussians25_gan import gaussians25_gan

    model = gaussians25_gan()
    kind = REFINEMENTS[method]
    assert issubclass(kind, Budgeted)
    member = kind(budgets=(budget,))
    next(iter(model.pools(0))).log_ratio  # noqa: B018  # whatever is made at the first call
    before = _peak()
    began = time.perf_counter()
    tuning = tuned_on(member, (budget,), samples)
    constants = constants_of(model, member, budget, pool_ratios(model, member, tuning, 0), 0)
    tuned = time.perf_counter() - began
    held = Refining(model, member, budget, constants, 0)
    for _ in held.pieces(samples):
        pass
    ledger = held.ledger
    return {
        "seconds": ledger.seconds,
        "tuning": tuned,
        "tuned_on": tuning,
        "draws": ledger.cost().draws,
        "acceptance": ledger.acceptance,
        "before": before,
        "peak": _peak(),
    }


def _peak() -> float:
    """MB that this process has had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(arguments: Sequence[str] | None = None) -> None:
    """Run every stream, print a table and ratios."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--budget", type=float, default=2.0)
    parser.add_argument("--methods", nargs="+", default=["obrs", "drs", "mh"])
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one:
        print(json.dumps(stream(options.methods[0], options.budget, options.samples[0])))
        return
    heads = (
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
    print(" ".join(f"{head:>13}" for head in heads))
    first: dict[int, float] = {}
    for count in options.samples:
        for method in options.methods:
            command = [sys.executable, __file__, "--one", "--methods", method, "--samples", str(count)]
            found = json.loads(
                subprocess.run(
                    [*command, "--budget", str(options.budget)], check=True, capture_output=True, text=True
                ).stdout
            )
            each = found["seconds"] / count
            first.setdefault(count, each)
            cells = [
                method, f"{count:,}", f"{1e6 * each:.1f}", f"{each / first[count]:.2f}", f"{found['draws']:.3f}",
                f"{found['acceptance']:.4f}", f"{found['tuning']:.1f}", f"{found['peak']:.0f}",
                f"{found['peak'] - found['before']:.0f}",
            ]  # fmt: skip
            print(" ".join(f"{cell:>13}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
