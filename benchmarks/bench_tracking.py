"""Telling MLflow of a trial: what it takes of the process that trains, beside Ray's callback and a request per report.

    python benchmarks/bench_tracking.py [--reports 200] [--metrics 20] [--repeats 3] [--server]

A driver tells of reports of so many metrics each, as fast as it can, to a fresh SQLite store; with ``--server`` to a
real ``mlflow server`` on one. All sides in turn, in this process, ``--repeats`` times; the median counts.

* *Ray's callback*: ``MLflowLoggerCallback.log_trial_result`` of Ray Tune, which runs in the driver.
* *a request per report*: MLflow's client, one ``log_batch`` for each report, waited for.
* *ours, the driver*: until the driver can go on, which is when the spool has the report.
* *ours, all of it*: until the store has everything and the run is finished, a thread beside the driver sending it.

Afterwards the store is asked: each side must have stored every value of every report once.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from explorer.results.store import ResultStore
from explorer.store.connection import Connection
from explorer.tracking import Drain, Spool, Tracker
from explorer.tracking.entries import Entry, Finish, Log, Start, now
from tests.postgres import TrackingServer
from tests.stores import empty_store

LEAST_RAY, LEAST_BATCH = 10.0, 3.0
"""Times that ours is asked to be quicker."""


def reports(count: int, metrics: int) -> list[dict[str, float]]:
    return [{f"metric_{j}": 0.5 + i + j / 100 for j in range(metrics)} for i in range(1, count + 1)]


def ray_callback(uri: str, told: list[dict[str, float]]) -> tuple[float, str]:
    from ray.air.integrations.mlflow import MLflowLoggerCallback

    class Trial:
        config: dict[str, Any] = {"seed": 1}  # noqa: RUF012

        def __str__(self) -> str:
            return "trial"

    callback, trial = MLflowLoggerCallback(tracking_uri=uri, experiment_name="ray"), Trial()
    callback.setup()
    callback.log_trial_start(trial)
    began = time.perf_counter()
    for number, metrics in enumerate(told, 1):
        callback.log_trial_result(number, trial, {**metrics, "training_iteration": number})
    took = time.perf_counter() - began
    callback.log_trial_end(trial)
    return took, callback._trial_runs[trial]


def request_per_report(uri: str, told: list[dict[str, float]]) -> tuple[float, str]:
    from mlflow.entities import Metric

    store = Connection(uri)
    run = store.client.create_run(store.experiment("batch")).info.run_id
    began = time.perf_counter()
    for number, metrics in enumerate(told, 1):
        now = time.time_ns() // 1_000_000
        store.client.log_batch(run, [Metric(key, value, now, number) for key, value in metrics.items()])
    return time.perf_counter() - began, run


def ours(uri: str, told: list[dict[str, float]], folder: Path) -> tuple[float, float, str]:
    """Seconds until the driver can go on, until the store has everything, and the run."""
    tracker, name = Tracker(uri, "ours"), folder.name
    tracker.open_sweep(name, {"metric_0": "max"}, "", "", "{}")
    spool = Spool(folder)
    drain = Drain(tracker, spool, print)
    drain.start()
    spool.put([Entry("trial", now(), Start({"seed": 1}))])
    drain.wake()
    time.sleep(1)  # the others' runs are there too before the clock starts
    began = time.perf_counter()
    for number, metrics in enumerate(told, 1):
        spool.put([Entry("trial", now(), Log(number, metrics))])
        drain.wake()
    spool.put([Entry("trial", now(), Finish())])
    driver = time.perf_counter() - began
    drain.finish(60.0)
    whole = time.perf_counter() - began
    spool.close()
    (trial,) = ResultStore(uri).table(name)
    return driver, whole, trial.run_id


def check(uri: str, run: str, told: list[dict[str, float]]) -> None:
    """Every value once."""
    client = Connection(uri).client
    for key in told[0]:
        found = sorted((m.step, m.value) for m in client.get_metric_history(run, key))
        assert found == [(number, metrics[key]) for number, metrics in enumerate(told, 1)], key


@contextmanager
def a_store(folder: Path, served: bool) -> Iterator[str]:
    uri = empty_store(folder)
    if not served:
        yield uri
        return
    server = TrackingServer(uri, folder)
    server.up()
    try:
        yield server.uri
    finally:
        server.down()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--reports", type=int, default=200)
    parser.add_argument("--metrics", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--server", action="store_true", help="ask a real MLflow server, not the file itself")
    asked = parser.parse_args()
    told = reports(asked.reports, asked.metrics)
    seconds: dict[str, list[float]] = {name: [] for name in ("ray", "batch", "driver", "whole")}
    with tempfile.TemporaryDirectory() as place, a_store(Path(place) / "store", asked.server) as uri:
        for number in range(asked.repeats):
            took, run = ray_callback(uri, told)
            check(uri, run, told)
            seconds["ray"].append(took)
            took, run = request_per_report(uri, told)
            check(uri, run, told)
            seconds["batch"].append(took)
            driver, whole, run = ours(uri, told, Path(place) / f"spool-{number}")
            check(uri, run, told)
            seconds["driver"].append(driver)
            seconds["whole"].append(whole)
    middle = {name: statistics.median(values) for name, values in seconds.items()}
    where = "mlflow server on SQLite" if asked.server else "SQLite"
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, ray {version('ray')}, mlflow {version('mlflow')}, {where}"
    )
    print(f"{asked.reports} reports of {asked.metrics} metrics, medians of {asked.repeats}")
    print(f"Ray's callback         {middle['ray']:8.3f} s")
    print(f"a request per report   {middle['batch']:8.3f} s")
    for name, title in (("driver", "ours, the driver"), ("whole", "ours, all of it")):
        ray, batch = middle["ray"] / middle[name], middle["batch"] / middle[name]
        print(
            f"{title:22} {middle[name]:8.3f} s   Ray's takes {ray:6.1f} times that, a request each {batch:5.1f}"
        )
    held = middle["ray"] / middle["driver"] >= LEAST_RAY and middle["batch"] / middle["driver"] >= LEAST_BATCH
    print(f"asked {LEAST_RAY:g} and {LEAST_BATCH:g} times of the driver: {'held' if held else 'NOT HELD'}")


if __name__ == "__main__":
    main()
