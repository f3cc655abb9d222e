"""A sweep from its command to its last run in MLflow, packed beside fractions of a GPU: seconds, and where they go.

    python benchmarks/gpu_end_to_end.py [--preset gaussians-8-map] [--trials 64 512] [--slots 12] [--peer-trials 12]

Packed, trials are stacked into as few packs as the card carries. The peer is the same sweep with a trial to a process
and 1/slots of the card to each, which is how Ray shares a card; its processes are used again for the next trial. All of
it counts: Ray's start, building, CUDA graphs, training, evaluation, checkpoints, logging. A peer of hundreds of trials
takes an hour, so it runs fewer, ``--peer-trials``. What more of them take is told from the seconds that its processes
trained and evaluated: each further round of ``slots`` trials takes these again, and nothing else of it counts. A sweep
of one trial comes first, of which only its seconds are told: it brings programs and libraries from the disk for all.
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

REPEATED = ("training", "evaluation", "checkpoints")
"""What every trial of the peer costs its process; others may wait for the first trial only."""


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
    parser.add_argument("--preset", default="gaussians-8-map")
    parser.add_argument("--trials", type=int, nargs="+", default=[64, 512])
    parser.add_argument("--slots", type=int, default=12)
    parser.add_argument("--peer-trials", type=int, default=12)
    parser.add_argument("--set", action="append", default=[], dest="assignments")
    asked = parser.parse_args()
    _told("one trial, to begin with", *swept(asked.preset, 1, *asked.assignments))
    packed = {}
    for trials in asked.trials:
        packed[trials], outcome = swept(asked.preset, trials, *asked.assignments)
        _told(f"packed, {trials} trials", packed[trials], outcome)
    share = ("resources.pack=1", f"resources.gpus={1 / asked.slots:.4f}")
    seconds, outcome = swept(asked.preset, asked.peer_trials, *share, *asked.assignments)
    _told(f"fractions of 1/{asked.slots}, {asked.peer_trials} trials", seconds, outcome)
    each = sum(outcome["spent"].get(what, 0.0) for what in REPEATED) / asked.peer_trials
    for trials, own in packed.items():
        alone = seconds + each * (trials - asked.peer_trials) / asked.slots
        print(f"{trials} trials: {own:.1f} s packed, {alone:.0f} s in fractions, ratio {alone / own:.1f}")


if __name__ == "__main__":
    main()
