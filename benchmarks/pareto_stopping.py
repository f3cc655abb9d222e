"""What halving costs and what it keeps: a preset trained in full and halved, hypervolume and training steps of both.

    python benchmarks/pareto_stopping.py [--preset gaussians-25-small] [--seeds 0 1 2 3 4] [--set PATH=VALUE …]

Both sweeps are real, with storage of their own, so that neither finds the other's checkpoints. Of every seed the
hypervolume of its trials is taken, up to no precision, no recall and the worst FID that either sweep has for it; trials
that halving ended count as they were read there. Settings of the stopper were chosen on seeds 100 to
104 and 110 to 121, how it chooses within a front on seeds 100 to 123.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

import moocore
import numpy as np

__all__ = ["compared", "main", "volumes"]

GOALS = {"precision": -1.0, "recall": -1.0, "fid": 1.0}
"""The objectives, each with the sign under which smaller is better."""

Values = Mapping[int, Sequence[Sequence[float]]]
"""Of every seed the objectives of its trials, smaller is better."""


def swept(preset: str, name: str, assignments: Sequence[str]) -> tuple[int, Values]:
    """Iterations of a sweep of that name in a store of its own, and what its trials found."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "TRADEOFF_HOME": home}
        environment.pop("MLFLOW_TRACKING_URI", None)
        words = [word for one in (f"name={name}", *assignments) for word in ("--set", one)]
        command = [sys.executable, "-m", "explorer"]
        options: dict[str, Any] = {"env": environment, "stdout": subprocess.PIPE, "text": True, "check": True}
        ran = subprocess.run([*command, "sweep", preset, "--json", *words], **options)
        read = subprocess.run([*command, "front", name, "--json"], **options)
    found: dict[int, list[list[float]]] = {}
    for trial in json.loads(read.stdout)["trials"]:
        row = [sign * trial["metrics"][metric] for metric, sign in GOALS.items()]
        found.setdefault(int(trial["params"]["seed"]), []).append(row)
    return json.loads(ran.stdout)["iterations"], found


def volumes(full: Values, halved: Values) -> list[tuple[float, float]]:
    """Hypervolumes of both for every seed, up to the same corner."""
    both = []
    for seed in sorted(full):
        worst = max(row[-1] for row in [*full[seed], *halved[seed]])
        corner = np.array([0.0, 0.0, worst])
        both.append(
            (
                float(moocore.hypervolume(np.array(full[seed]), ref=corner)),
                float(moocore.hypervolume(np.array(halved[seed]), ref=corner)),
            )
        )
    return both


def compared(preset: str, seeds: Sequence[int], assignments: Sequence[str]) -> tuple[list[float], float]:
    """Of every seed the share of the full hypervolume that halving keeps, and its share of the iterations."""
    listed = f"seeds={json.dumps(list(seeds))}"
    steps, full = swept(preset, "full", [listed, *assignments])
    fewer, halved = swept(preset, "halved", [listed, "stopping.name=halving", *assignments])
    return [ours / whole for whole, ours in volumes(full, halved)], fewer / steps


def main() -> None:
    """Print what is kept of every seed, and the means."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--preset", default="gaussians-25-small")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--set", action="append", default=[], dest="assignments", metavar="PATH=VALUE")
    asked = parser.parse_args()
    kept, share = compared(asked.preset, asked.seeds, asked.assignments)
    for seed, one in zip(sorted(asked.seeds), kept, strict=True):
        print(f"seed {seed}: {one:.1%} of the full hypervolume")
    print(f"mean: {fmean(kept):.1%} of the full hypervolume with {share:.1%} of the training steps")


if __name__ == "__main__":
    main()
