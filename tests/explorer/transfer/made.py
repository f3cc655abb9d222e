"""A sweep with all that a store may hold of one, by the product's own writer, and what is the same elsewhere."""

from __future__ import annotations

import atexit
import math
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

from explorer.pareto import Front
from explorer.results.catalogue import built_in
from explorer.results.store import ResultStore
from explorer.results.table import TrialTable
from explorer.results.whole import WholeSweep
from explorer.store.connection import Connection
from explorer.store.schema import PLAIN, At, metric_key
from explorer.tracking import Tracker
from explorer.tracking.entries import Data, TrialRun
from tests.stores import empty_store

__all__ = ["DOCUMENT", "front_of", "made_store", "points", "shared_store", "table_of", "whole"]

DOCUMENT = "name: ring\ndescription: three λ\nspace: {objective.lam: [0.5, 1, 2]}\n"
TWICE = At("obrs", 2.0)
LAMBDAS = (0.5, 1.0, 2.0, 4.0)


def made_store(folder: Path) -> str:
    """A store with the sweep ``ring``: a front of three, a trial that failed, one that was cut off, one dominated."""
    uri = empty_store(folder)
    tracker = Tracker(uri, "rings")
    goals = {"precision": "max", "recall": "max"}
    tracker.open_sweep("ring", goals, "three λ", DOCUMENT, built_in().to_json())
    for lam in LAMBDAS:
        trial = f"{int(2 * lam):012x}"
        params = {"objective.name": "pr", "objective.lam": lam, "seed": 3}
        tracker.start([TrialRun(trial, params, data=Data("rings", "ab12", '{"n": 8}'))])
        worse = 0.1 if lam == 4 else 0.0
        for step in (10, 20):
            told = {
                "precision": 0.4 + 0.1 * lam - 4 * worse,
                "recall": 0.9 - 0.2 * lam,
                "fid": math.nan,
            }
            if step == 20:
                told |= {
                    metric_key(TWICE, "precision"): 0.9,
                    metric_key(TWICE, "recall"): 0.1 * lam,
                    "precision.low": 0.3,
                }
            tracker.log(trial, step, told, {PLAIN: "a", TWICE: "b"} if step == 20 else None)
        tracker.artifacts(
            trial, {"thumb.png": b"\x89PNG", "curve.json": f'{{"lambda": [{lam}]}}', "same.txt": "same"}
        )
        tracker.finish(trial)
    tracker.start([("f" * 12, {"seed": 1}), ("e" * 12, {"seed": 2})])
    tracker.log("f" * 12, 10, {"precision": 0.1, "fid": 1e300})
    tracker.fail("f" * 12, "out of memory")
    tracker.close_sweep(interrupted=True)
    _add_model(uri)
    return uri


@cache
def shared_store() -> str:
    """Such a store for all tests of a process, which nobody writes to."""
    folder = Path(mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return made_store(folder)


def _add_model(uri: str) -> None:
    """Files in folders among the artifacts."""
    store, run = Connection(uri), ResultStore(uri).table("ring").trials[0].run_id
    with TemporaryDirectory() as folder:
        model = Path(folder) / "model" / "data"
        model.mkdir(parents=True)
        (model / "weights.safetensors").write_bytes(bytes(range(256)) * 40)
        (model.parent / "MLmodel").write_text("flavors: {}\n")
        store.artifacts(store.run(run).artifact_uri).log_artifacts(folder)


def table_of(uri: str, name: str = "ring") -> TrialTable:
    """A sweep without what belongs to the place where it lies."""
    table = ResultStore(uri).table(name)
    return replace(table, sweep="", trials=tuple(replace(trial, run_id="") for trial in table))


def whole(uri: str, name: str = "ring") -> dict[str, Any]:
    """Every run with its histories as they are, and the bytes of its artifacts, by trial."""
    store = ResultStore(uri)
    sweep = WholeSweep(store, name)
    found: dict[str, Any] = {}
    for trial, run_id in [("", sweep.parent), *sweep.trials]:
        run = sweep.run(run_id)
        histories = {
            key: [(p.step, p.time, repr(p.value)) for p in points] for key, points in run.histories.items()
        }
        with TemporaryDirectory() as folder:
            files = {
                path: sweep.fetch(run_id, path, Path(folder)).read_bytes() for path in sweep.files(run_id)
            }
        tags = {key: value for key, value in run.tags.items() if key != "mlflow.runName"}
        found[trial] = (run.status, run.started, run.ended, tags, run.params, histories, run.inputs, files)
    return found


def front_of(table: TrialTable, at: At = PLAIN) -> tuple[list[dict[str, float]], float]:
    """The points of a front by what was measured, and its hypervolume."""
    front = Front(table, at)
    return points(front), front.hypervolume


def points(front: Front) -> list[dict[str, float]]:
    """The objectives of every trial of a front, in its order."""
    goals = [goal.metric for goal in front.table.goals]
    return [{metric: trial.at(front.at)[metric] for metric in goals} for trial in front]
