"""Starting a finished sweep again: seconds until the command knows that there is nothing to do, and where they go.

A store is filled with N finished trials as real ones leave them: parameters, marks, α_λ, evaluations at four steps with
every metric of the catalogue at every budget. The first is written by the tracker; the others are copies of its rows in
SQL, under their own identities and parameters, since the tracker takes some 50 ms a run. Then the whole command is run,
Python's start included. ``--server`` asks a real ``mlflow server`` on the same store, ``--profile`` names functions.

    python benchmarks/bench_restart.py [N …] [--server] [--profile]
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import resource
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import uuid4

import yaml

from explorer.launch.earlier import wanted_marks
from explorer.launch.places import tracking_uri
from explorer.results.catalogue import Catalogue
from explorer.store.schema import PLAIN, TRIALS, encode, encode_alphas, metric_key
from explorer.sweep.sweep import Sweep, build_sweep
from explorer.tracking import Tracker
from trainables.config import TrialConfig

STEPS = (600, 1200, 1800, 2400)
SEEDS = 10


def document(trials: int, folder: Path) -> dict[str, object]:
    """A grid of λ by Lipschitz constants by seeds, of the demo's models."""
    constants = [round(0.5 * 1.3**i, 6) for i in range(10 if trials >= 100 else 1)]
    lam = [round(0.05 * 1.02**i, 6) for i in range(trials // (SEEDS * len(constants)))]
    return {
        "name": "restart",
        "model": {"name": "mlp_gan", "size": "small", "generator": [24, 24]},
        "refinement": {"budgets": [1, 1.5, 2, 4]},
        "training": {"iterations": STEPS[-1]},
        "evaluation": {"samples": 1000, "k": 3, "every": STEPS[0]},
        "constraint": {"name": "spectral"},
        "seeds": SEEDS,
        "space": {"objective.lam": lam, "constraint.lipschitz": constants},
        "tracking": {"uri": f"sqlite:///{folder / 'mlflow.db'}"},
    }


def fill(sweep: Sweep) -> int:
    """A store in which the sweep is finished; how many trials it has."""
    configs = {c.identity(): c for point in sweep.space.grid() for c in sweep.repeats(point)}
    tracker = Tracker(tracking_uri(sweep), sweep.tracking.experiment)
    catalogue = Catalogue.of(sweep.plan.catalogue(), sweep.plan.methods())
    text = yaml.safe_dump(dict(sweep.document), sort_keys=False, allow_unicode=True)
    tracker.open_sweep(sweep.name, sweep.search.objectives, sweep.description, text, catalogue.to_json())
    first, *others = configs
    marks = wanted_marks(sweep)
    tracker.start([(first, configs[first].params())])
    plain = [entry.key for entry in sweep.plan.catalogue()]
    for step in STEPS:
        final = step == STEPS[-1]
        keys = [metric_key(at, key) for at in (marks if final else [PLAIN]) for key in plain]
        alphas = encode_alphas({"lambda": [0.001, 1000.0], "precision": [0.1, 0.9]}) if final else None
        tracker.log(first, step, dict.fromkeys(keys, 0.123456789), marks if final else None, alphas)
    tracker.finish(first)
    tracker.close_sweep(interrupted=False)
    _copy(Path(sweep.tracking.uri.removeprefix("sqlite:///")), first, {t: configs[t] for t in others})
    return len(configs)


def _copy(file: Path, first: str, others: dict[str, TrialConfig]) -> None:
    """Rows of one finished run under other identities."""
    with closing(sqlite3.connect(file)) as link:
        find = "SELECT run_uuid FROM tags WHERE key = 'tradeoff.trial' AND value = ?"
        (run,) = link.execute(find, (first,)).fetchone()
        runs = {trial: uuid4().hex for trial in others}
        for table in ("runs", "tags", "metrics", "latest_metrics"):
            found = link.execute(f"SELECT * FROM {table} WHERE run_uuid = ?", (run,))
            names = [column[0] for column in found.description]
            rows, at = found.fetchall(), names.index("run_uuid")
            copies = (
                tuple(
                    copy if column == at else _named(value, first, trial) for column, value in enumerate(row)
                )
                for trial, copy in runs.items()
                for row in rows
            )
            link.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})", copies)
        params = (
            (path, encode(value), runs[trial])
            for trial, config in others.items()
            for path, value in config.params().items()
        )
        link.executemany("INSERT INTO params (key, value, run_uuid) VALUES (?, ?, ?)", params)
        link.execute("UPDATE tags SET value = ? WHERE key = ?", (str(len(others) + 1), TRIALS))
        link.commit()


def _named(value: object, first: str, trial: str) -> object:
    return trial if value == first else value


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A real server on the store in ``folder``."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "mlflow", "server", "--port", str(port), "--workers", "1"]
    command += ["--backend-store-uri", f"sqlite:///{folder / 'mlflow.db'}", "--serve-artifacts"]
    command += ["--artifacts-destination", str(folder / "artifacts")]
    environment = {**os.environ, "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        while True:
            try:
                link = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
                link.request("GET", "/health")
                if link.getresponse().status == 200:
                    break
            except OSError:
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(server.pid, 15)
        server.wait()


def command(arguments: list[str], folder: Path) -> tuple[float, float, str]:
    """Wall seconds, CPU seconds and last words of the command."""
    environment = {**os.environ, "TRADEOFF_HOME": str(folder / "home"), "COLUMNS": "160"}
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "explorer", "sweep", *arguments],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"the command ended with code {done.returncode}: {done.stderr.strip()}")
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, spent, done.stderr.strip().splitlines()[0]


PARTS = """
import sys, time
begun = [("", time.process_time())]
def mark(name): begun.append((name, time.process_time()))
import explorer.cli; mark("command line")
from explorer.sweep import load_sweep
from explorer.launch.run import run_sweep
from explorer.launch.earlier import earlier_trials
from explorer.launch.plan import make_plan
from rich.console import Console
import yaml; mark("imports")
sweep = load_sweep(sys.argv[1], sys.argv[2:]); mark("reading and checking the sweep file")
known = earlier_trials(sweep); mark("earlier trials")
plan = make_plan(sweep, known); mark("plan")
run_sweep(sweep, Console(quiet=True)); mark("the launch, with all but the file once more")
for (_, a), (name, b) in zip(begun, begun[1:]): print(f"    {b - a:6.2f} s  {name}")
print(f"    {len([m for m in sys.modules if m.partition('.')[0] == 'mlflow'])} modules of MLflow")
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("trials", type=int, nargs="*", default=[500, 5000, 20000])
    parser.add_argument("--server", action="store_true", help="through a real mlflow server too")
    parser.add_argument("--profile", action="store_true", help="the functions that take longest")
    asked = parser.parse_args()
    for trials in asked.trials:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            file = folder / "restart.yaml"
            file.write_text(json.dumps(document(trials, folder)))
            count = fill(build_sweep(json.loads(file.read_text())))
            measure(count, [str(file)], folder, asked.profile)
            if asked.server:
                with served(folder) as uri:
                    print(f"{count:6,} trials, through a server:")
                    measure(count, [str(file), "--set", f"tracking.uri={uri}"], folder, False)


def measure(count: int, arguments: list[str], folder: Path, profile: bool) -> None:
    """The command three times, then its parts in one process."""
    tries = [command(arguments, folder) for _ in range(3)]
    wall, spent = min(t[0] for t in tries), min(t[1] for t in tries)
    print(
        f"{count:6,} trials: {wall:.2f} s, of which {spent:.2f} s of CPU (best of 3): {tries[0][2]}",
        flush=True,
    )
    environment = {**os.environ, "TRADEOFF_HOME": str(folder / "home")}
    told = [a for a in arguments if a != "--set"]
    subprocess.run([sys.executable, "-c", PARTS, *told], env=environment, check=True)
    if profile:
        words = [sys.executable, "-m", "cProfile", "-s", "cumtime", "-m", "explorer", "sweep", *arguments]
        said = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout
        print("\n".join(line for line in said.splitlines()[:80] if line.strip()))


if __name__ == "__main__":
    main()
