"""Sweeps run for real, whose trials are refined: objectives that know the ratio and such that do not, a flow, images
of a user's own conditional model, a trial that diverged and one that is not over.

They are run once for all processes that run tests together.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import gettempdir, mkdtemp

from filelock import FileLock

from explorer.results.store import ResultStore
from explorer.results.table import Trial, TrialTable
from tests.stores import empty_store
from tests.trainables.samplers.trained import TAGGED

__all__ = ["FLOW", "RING", "TAGS", "stored", "table_of", "trial_of"]

RING, FLOW, TAGS = "ring", "flow", "tags"
LAM = "objective.lam"
SWEEPS = {
    RING: """
model: {generator: [16], critic: [16]}
refinement: {budgets: [1, 2]}
training: {iterations: 80, batch_size: 64}
evaluation: {samples: 400}
seeds: 1
space:
  - objective.name: [gan, hinge, wasserstein, tv, naive_pr]
  - objective.lam: [1, 7]
  - training.generator_lr: [1.0e+30]
resources: {pack: 8, cpus: 2}
""",
    FLOW: """
model: {name: realnvp, couplings: 2, width: 8}
refinement: {budgets: [1]}
training: {iterations: 40, batch_size: 64}
evaluation: {samples: 400}
seeds: 1
space:
  - objective.name: [flow_gan]
resources: {pack: 1, cpus: 1}
""",
    TAGS: """
plugins: [tagged.py]
dataset: {name: digits}
model: {name: tagged}
refinement: {name: obrs, budgets: [1]}
training: {iterations: 30, batch_size: 32}
evaluation: {samples: 200}
seeds: 1
space:
  - objective.name: [gan]
resources: {pack: 1, cpus: 1}
""",
}


@cache
def stored() -> str:
    """Address of the store with all of them."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    folder = Path(gettempdir()) / f"refined-{run}" if run else Path(mkdtemp())
    folder.mkdir(exist_ok=True)
    with FileLock(folder / "lock"):
        if not (folder / "made").exists():
            uri = empty_store(folder / "home")
            (folder / "tagged.py").write_text(TAGGED)
            for name, text in SWEEPS.items():
                (folder / f"{name}.yaml").write_text(text)
            _run(folder)
            _leave_one_running(uri)
            (folder / "made").touch()
    return f"sqlite:///{folder / 'home' / 'mlflow.db'}"


def _run(folder: Path) -> None:
    """All sweeps on one Ray, in a process of their own."""
    script = (
        "import ray\n"
        "import explorer.api as te\n"
        "ray.init('local', num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level='ERROR')\n"
        f"for name in {list(SWEEPS)!r}:\n"
        "    te.run_sweep(name + '.yaml', progress=False)\n"
    )
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MLFLOW")}
    subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        cwd=folder,
        env={**inherited, "TRADEOFF_HOME": str(folder / "home")},
        timeout=280,
    )


def _leave_one_running(uri: str) -> None:
    """As a driver leaves it that was killed at the end."""
    from mlflow import MlflowClient

    trial = trial_of(uri, RING, **{LAM: 7})
    MlflowClient(uri).update_run(trial.run_id, status="RUNNING")


def table_of(uri: str, sweep: str) -> TrialTable:
    """As a reader finds it."""
    return ResultStore(uri).table(sweep)


def trial_of(uri: str, sweep: str, **params: object) -> Trial:
    """The one trial with these values by path: ``**{"objective.name": "hinge"}``."""
    trials = table_of(uri, sweep).trials
    (found,) = [trial for trial in trials if params.items() <= trial.params.items()]
    return found
