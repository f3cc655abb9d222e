"""A sweep of a few trials that train in a blink, and its real store in a data folder of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np

from explorer.launch.earlier import wanted_marks
from explorer.launch.places import tracking_uri
from explorer.launch.recorder import Recorder, metrics_of
from explorer.results.catalogue import Catalogue
from explorer.results.store import ResultStore
from explorer.results.table import Trial
from explorer.store.addresses import sqlite_file
from explorer.sweep.sweep import Sweep, build_sweep
from explorer.tracking import Spool, Tracker
from tests.stores import empty_store
from trainables.config import TrialConfig
from trainables.evaluation.reading import PLAIN, Cost, Evaluation, Reading
from trainables.faults import Fault

__all__ = ["configs", "finish", "made_up", "recorder", "small_sweep", "stored", "tracker"]


def small_sweep(folder: Path, **changes: Any) -> Sweep:
    """Two λ, one seed, 8 iterations, its runs and checkpoints in ``folder``."""
    raw: dict[str, Any] = {
        "name": "small",
        "model": {"generator": [4], "critic": [4]},
        "training": {"iterations": 8, "batch_size": 8},
        "evaluation": {"samples": 40, "every": 4},
        "refinement": {"budgets": [1, 2]},
        "space": {"objective.lam": [1, 5]},
        "tracking": {"uri": f"sqlite:///{folder / 'mlflow.db'}"},
        "resources": {"storage": str(folder / "checkpoints")},
    }
    return build_sweep({**raw, **changes})


def configs(sweep: Sweep) -> dict[str, TrialConfig]:
    """Every trial of a grid by its identity."""
    return {c.identity(): c for point in sweep.space.grid() for c in sweep.repeats(point)}


def tracker(sweep: Sweep) -> Tracker:
    """The sweep's run, opened."""
    file = sqlite_file(tracking_uri(sweep))
    if file is not None and not file.exists():
        empty_store(file.parent)
    opened = Tracker(tracking_uri(sweep), sweep.tracking.experiment)
    catalogue = Catalogue.of(sweep.plan.catalogue()).to_json()
    opened.open_sweep(sweep.name, sweep.search.objectives, "", "", catalogue)
    return opened


def recorder(sweep: Sweep, tell: Callable[[str], None] = lambda sentence: None, **more: Any) -> Recorder:
    """Of the opened sweep, with a spool of its own; ``opened``: its tracker, if it is there already."""
    opened = more.pop("opened", None) or tracker(sweep)
    spool = Spool(Path(mkdtemp(prefix="spool-", dir=Path(sweep.resources.storage or "").parent)))
    return Recorder(opened, spool, lambda trial: wanted_marks(sweep), tell, **more)


def stored(sweep: Sweep) -> dict[str, Trial]:
    """What a reader finds, by identity."""
    return {t.id: t for t in ResultStore(tracking_uri(sweep), sweep.tracking.experiment).table(sweep.name)}


def made_up(
    iteration: int, final: bool, budgets: Sequence[float] = (2.0,), diverged: str | None = None
) -> Evaluation:
    """An evaluation of a trial in the plane, without training."""
    if diverged is not None:
        return Evaluation(iteration, final, fault=Fault(diverged, "diverged"))
    points = np.random.default_rng(iteration).normal(size=(5, 2)) if final else None
    metrics = {"precision": 0.5, "recall": 0.25, "fid": 1.0 + iteration, "acceptance": 1.0}
    readings = [Reading(*PLAIN, metrics, samples=points)]
    if final:
        readings += [
            Reading("obrs", k, {**metrics, "acceptance": 1 / k}, Cost(draws=k, scores=k), points)
            for k in budgets
        ]
    curve = {"lambda": [1.0], "precision": [0.5], "recall": [0.5], "source": "exact"} if final else {}
    return Evaluation(iteration, final, tuple(readings), {"critic_loss": 0.1}, points, curve)


def finish(opened: Tracker, sweep: Sweep, trial: str, stopped: str | None = None) -> None:
    """One trial from start to end, read as the sweep asks."""
    opened.start([(trial, configs(sweep)[trial].params())])
    opened.log(trial, 8, metrics_of(made_up(8, final=True)), wanted_marks(sweep))
    opened.finish(trial, stopped)
