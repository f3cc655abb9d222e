"""A store of one wide sweep, 30 parameters and 30 metrics a trial, written straight into the tables of its database.

    python -m benchmarks.wide_store sqlite:///FILE --trials 10000

Works on SQLite and PostgreSQL alike; the sweep's own run is written by the product's writer.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Connection, create_engine, insert

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from explorer.results.store import ResultStore
from explorer.store import schema
from explorer.store.schema import At, metric_key
from explorer.tracking import Tracker

__all__ = ["METRICS", "PARAMS", "WIDE", "add_trials", "write_wide"]

WIDE = "wide"
PARAMS = METRICS = 30
STEP = 4000
BEGAN = 1_760_000_000_000
"""When the first trial began, in MLflow's milliseconds."""
READINGS = [At("none", 1.0), *(At("obrs", k) for k in (1.5, 2.0, 3.0, 4.0))]
NAMES = ("precision", "recall", "density", "coverage", "fid", "quality")
KEYS = [metric_key(at, name) for at in READINGS for name in NAMES]
PART = 1000


def write_wide(uri: str, trials: int) -> None:
    """A finished sweep of so many trials in a store that has no sweep of its name."""
    tracker = Tracker(uri, "tradeoff-explorer")
    goals = {"precision": "max", "recall": "max", "fid": "min"}
    tracker.open_sweep(WIDE, goals, f"{trials:,} made-up trials", "name: wide", '{"metrics": []}')
    tracker.close_sweep(interrupted=False)
    add_trials(uri, range(trials))


def add_trials(uri: str, numbers: range) -> None:
    """Trials of these numbers, each with its 30 parameters, 30 metrics and the tags of a finished one."""
    (parent,) = ResultStore(uri).runs("sweep", ())
    engine = create_engine(uri)
    try:
        for start in range(0, len(numbers), PART):
            with engine.begin() as link:
                _write(link, parent.run_id, int(parent.experiment_id), numbers[start : start + PART])
    finally:
        engine.dispose()


def _write(link: Connection, parent: str, experiment: int, numbers: range) -> None:
    from mlflow.store.tracking.dbmodels.models import SqlLatestMetric, SqlMetric, SqlParam, SqlRun, SqlTag

    link.execute(insert(SqlRun), [_run(number, experiment) for number in numbers])
    link.execute(insert(SqlTag), [row for number in numbers for row in _tags(number, parent)])
    link.execute(insert(SqlParam), [row for number in numbers for row in _params(number)])
    measured = [row for number in numbers for row in _metrics(number)]
    link.execute(insert(SqlMetric), measured)
    link.execute(insert(SqlLatestMetric), measured)


def _id(number: int) -> str:
    return f"{number:032x}"


def _run(number: int, experiment: int) -> dict[str, Any]:
    began = BEGAN + 1000 * number
    return {
        "run_uuid": _id(number),
        "name": f"trial {number}",
        "source_type": "UNKNOWN",
        "source_name": "",
        "entry_point_name": "",
        "user_id": "benchmark",
        "status": "FINISHED",
        "start_time": began,
        "end_time": began + 60_000,
        "deleted_time": None,
        "source_version": "",
        "lifecycle_stage": "active",
        "artifact_uri": f"file:///nowhere/{_id(number)}/artifacts",
        "experiment_id": experiment,
    }


def _tags(number: int, parent: str) -> Iterator[dict[str, Any]]:
    alphas = np.linspace(0, 1, len(schema.TRADE_OFFS)) ** (1 + number % 97 / 97)
    told = {
        schema.KIND: "trial",
        schema.SWEEP: WIDE,
        schema.TRIAL: f"{number:012x}",
        schema.LAYOUT: schema.LAYOUT_NOW,
        schema.PARENT: parent,
        schema.READINGS: schema.encode_readings({at: f"{at.budget:g}-mark" for at in READINGS}),
        schema.ALPHAS: json.dumps([float(f"{alpha:.4g}") for alpha in alphas], separators=(",", ":")),
        "mlflow.runName": f"trial {number}",
        "mlflow.user": "benchmark",
    }
    return ({"key": key, "value": value, "run_uuid": _id(number)} for key, value in told.items())


def _params(number: int) -> Iterator[dict[str, Any]]:
    told: dict[str, Any] = {
        "objective.name": "pr",
        "seed": number % 5,
        "objective.lam": 0.01 * (1 + number // 5),
    }
    told |= {f"model.field{i}": (number // 5) % (i + 2) for i in range(PARAMS - len(told))}
    return (
        {"key": key, "value": schema.encode(value), "run_uuid": _id(number)} for key, value in told.items()
    )


def _metrics(number: int) -> list[dict[str, Any]]:
    values = np.random.default_rng(number).random(METRICS)
    return [
        {
            "key": key, "value": float(value), "timestamp": BEGAN + 1000 * number, "step": STEP, "is_nan": False,
            "run_uuid": _id(number),
        }
        for key, value in zip(KEYS, values, strict=True)
    ]  # fmt: skip


def main() -> None:
    """Write a sweep into a store."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("uri")
    parser.add_argument("--trials", type=int, default=10_000)
    chosen = parser.parse_args()
    write_wide(chosen.uri, chosen.trials)


if __name__ == "__main__":
    main()
