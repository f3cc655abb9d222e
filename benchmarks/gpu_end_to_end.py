"""A sweep from its command to its last run in MLflow, packed beside fractions of a GPU: seconds, and where they go.

    python benchmarks/gpu_end_to_end.py [--preset gaussians-25-small] [--trials 64 512] [--slots 12] [--peer-trials 24]

Packed, trials are stacked into as few packs as the card carries. The peer is the same sweep with a trial to a process
and 1/slots of the card to each, which is how Ray shares a card. All of it counts: Ray's start, building, CUDA graphs,
training, evaluation, checkpoints, logging. A peer of hundreds of trials takes an hour, so it may run fewer,
``--peer-trials``: what it takes for more is told from its start and its seconds a round of ``slots`` trials.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from typing import Any

__all__ = ["main", "swept"]


def swept(preset: str, trials: int, *assignments: str) -> tuple[float, dict[str, Any]]:
    """Seconds of the whole command on an empty store, and its outcome."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "TRADEOFF_HOME": home}
        environment.pop("MLFLOW_TRACKING_URI", None)
        words = [word for one in assignments for word in ("--set", one)]
        command = [
            sys.executable,
            "-m",
            "explorer",
            "sweep",
            preset,
            "--trials",
            str(trials),
            "--json",
            *words,
        ]
        began = time.monotonic()
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        seconds = time.monotonic() - began
    outcome: dict[str, Any] = json.loads(done.stdout)
    if outcome["finished"] != trials:
        raise SystemExit(f"{outcome['finished']} of {trials} trials finished")
    return seconds, outcome


def _told(name: str, seconds: float, outcome: dict[str, Any]) -> None:
    where = ", ".join(f"{what} {value:.0f}" for what, value in outcome["spent"].items() if value >= 0.5)
    print(f"{name}: {seconds:.1f} s ({where})", flush=True)


def main() -> None:
    """Print both, and their ratio."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--preset", default="gaussians-25-small")
    parser.add_argument("--trials", type=int, nargs="+", default=[64, 512])
    parser.add_argument("--slots", type=int, default=12)
    parser.add_argument("--peer-trials", type=int, default=24)
    parser.add_argument("--set", action="append", default=[], dest="assignments")
    asked = parser.parse_args()
    seeds = f"seeds={max(asked.trials)}"
    packed = {}
    for trials in asked.trials:
        packed[trials], outcome = swept(asked.preset, trials, seeds, *asked.assignments)
        _told(f"packed, {trials} trials", packed[trials], outcome)
    share = ("resources.pack=1", f"resources.gpus={1 / asked.slots:.4f}")
    first, outcome = swept(asked.preset, asked.slots, seeds, *share, *asked.assignments)
    _told(f"fractions of 1/{asked.slots}, {asked.slots} trials", first, outcome)
    more, outcome = swept(asked.preset, asked.peer_trials, seeds, *share, *asked.assignments)
    _told(f"fractions of 1/{asked.slots}, {asked.peer_trials} trials", more, outcome)
    a_round = (more - first) / (asked.peer_trials / asked.slots - 1)
    for trials, seconds in packed.items():
        alone = first + a_round * (trials / asked.slots - 1)
        print(
            f"{trials} trials: {seconds:.1f} s packed, {alone:.0f} s in fractions, ratio {alone / seconds:.1f}"
        )


if __name__ == "__main__":
    main()
