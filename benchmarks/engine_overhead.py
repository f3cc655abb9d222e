"""What the engine itself takes: trials that do nothing for a second, on two slots, every one logged to MLflow.

    python benchmarks/engine_overhead.py [--trials 1000] [--only ours|tune]

The ideal is trials / 2 seconds. Ours is a sweep of packs of one trial, from the command to the last run in MLflow,
Ray's start included. The peer is plain Ray Tune with actors that are used again and its own ``MLflowLoggerCallback``,
its start included likewise. Both write parameters and five metrics a trial into a SQLite store of their own.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

__all__ = ["main", "ours", "tune_alone"]

HERE = Path(__file__).parent

OURS = """
import sys
from rich.console import Console
from explorer.launch.run import run_sweep
from explorer.sweep import load_sweep
from idle_work import IdleWork

raw = {
    "name": "idle",
    "seeds": int(sys.argv[1]),
    "space": {"objective.lam": [1.0]},
    "training": {"iterations": 10},
    "evaluation": {"every": 10},
    "refinement": {"budgets": [1]},
    "resources": {"pack": 1, "cpus": float(sys.argv[2])},
}
outcome = run_sweep(load_sweep(raw), Console(stderr=True), work=IdleWork)
assert outcome.finished == int(sys.argv[1]), outcome
"""

TUNE = """
import os, sys, time
os.environ |= {"RAY_AIR_NEW_OUTPUT": "0", "RAY_USAGE_STATS_ENABLED": "0", "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1"}
import ray
from ray import tune
from ray.air.integrations.mlflow import MLflowLoggerCallback
from idle_work import METRICS, SECONDS

class Idle(tune.Trainable):
    def setup(self, config): pass
    def reset_config(self, new_config): return True
    def step(self):
        time.sleep(SECONDS)
        return {**METRICS, "done": True}
    def save_checkpoint(self, checkpoint_dir): pass
    def load_checkpoint(self, checkpoint): pass

trials, cpus, store = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
ray.init(include_dashboard=False, log_to_driver=False, logging_level="ERROR")
results = tune.Tuner(
    tune.with_resources(Idle, {"cpu": cpus}),
    param_space={"objective.lam": 1.0, "seed": tune.grid_search(list(range(trials)))},
    tune_config=tune.TuneConfig(reuse_actors=True),
    run_config=tune.RunConfig(
        storage_path=store,
        callbacks=[MLflowLoggerCallback(tracking_uri=f"sqlite:///{store}/mlflow.db", experiment_name="idle")],
        checkpoint_config=tune.CheckpointConfig(checkpoint_frequency=0, checkpoint_at_end=False),
        verbose=0,
    ),
).fit()
assert len(results) == trials and not results.errors
"""


def _timed(code: str, arguments: list[str], home: str) -> float:
    """Seconds of a process from its start to its end."""
    paths = os.pathsep.join(filter(None, [str(HERE), str(HERE.parent), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "TRADEOFF_HOME": home, "PYTHONPATH": paths}
    environment.pop("MLFLOW_TRACKING_URI", None)
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", code, *arguments], env=environment, check=True, cwd=home)
    return time.monotonic() - began


def _cpus() -> str:
    """The share of a trial that makes two slots of this machine."""
    return str((os.cpu_count() or 2) / 2)


def ours(trials: int) -> float:
    """Seconds of our sweep."""
    with tempfile.TemporaryDirectory() as home:
        return _timed(OURS, [str(trials), _cpus()], home)


def tune_alone(trials: int) -> float:
    """Seconds of plain Ray Tune."""
    with tempfile.TemporaryDirectory() as home:
        return _timed(TUNE, [str(trials), _cpus(), home], home)


def main() -> None:
    """Print both, and each as a multiple of the ideal."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--only", choices=["ours", "tune"])
    asked = parser.parse_args()
    ideal = asked.trials / 2
    print(f"{asked.trials:,} trials of a second on 2 slots; ideal {ideal:.0f} s", flush=True)
    found = {}
    for name, run in (("ours", ours), ("tune", tune_alone)):
        if asked.only in (None, name):
            found[name] = run(asked.trials)
            print(f"{name:>5}: {found[name]:7.1f} s, {found[name] / ideal:.3f} of the ideal", flush=True)
    if len(found) == 2:
        print(f"plain Ray Tune takes {found['tune'] / found['ours']:.2f} times as long", flush=True)


if __name__ == "__main__":
    main()
