"""A sweep of many runs, read: the first load, loads from what is kept, and a look at 50 new runs, beside MLflow's own.

    python benchmarks/bench_results.py [--trials 10000] [--store sqlite|postgresql|URI] [--server] [--repeats 3]

Every run has 30 parameters and 30 metrics. The peer is ``mlflow.search_runs`` of the same experiment to a DataFrame.
``--server`` puts ``mlflow server`` before the store, with MLflow's own number of workers. Every load is of a process of
its own; its time is from the call to the whole table, without the import of either library, which is printed beside it.
Peer and ours take turns; the best, with medians in brackets: others may use the machine. ``postgresql`` starts a server
of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.store_servers import mlflow_server, postgres
from benchmarks.wide_store import METRICS, PARAMS, WIDE, add_trials, write_wide

NEW = 50
"""Runs that are new at the second look."""

PEER = """
import json, os, sys, time
began = time.perf_counter()
import mlflow
mlflow.set_tracking_uri(os.environ["STORE"])
loaded = time.perf_counter()
place = mlflow.get_experiment_by_name("tradeoff-explorer")
frame = mlflow.search_runs([place.experiment_id])
print(json.dumps([loaded - began, time.perf_counter() - loaded, len(frame) - 1]))
"""
OURS = """
import json, os, sys, time
began = time.perf_counter()
from explorer.results.store import ResultStore
if os.environ["STORE"].startswith("http"):
    from explorer.store.quiet import quiet_mlflow
    quiet_mlflow()
loaded = time.perf_counter()
table = ResultStore(os.environ["STORE"]).table(sys.argv[1])
print(json.dumps([loaded - began, time.perf_counter() - loaded, len(table)]))
"""
WATCHED = """
import json, os, sys, time
from explorer.results.store import ResultStore
from explorer.results.watch import Watch
store = ResultStore(os.environ["STORE"])
watch = Watch(store, store.sweeps()[0])
watch.look()
print("ready", flush=True)
for line in sys.stdin:
    began = time.perf_counter()
    table = watch.look()
    print(json.dumps([0, time.perf_counter() - began, len(table)]), flush=True)
"""


@contextmanager
def _store(kind: str, folder: Path) -> Iterator[str]:
    if kind == "postgresql":
        with postgres(folder) as uri:
            yield uri
    else:
        yield f"sqlite:///{folder / 'mlflow.db'}" if kind == "sqlite" else kind


class Loads:
    """Loads of one store, each in a new process with a data folder of ours."""

    def __init__(self, uri: str, home: Path) -> None:
        # Of MLflow the server's own patience: a page of all runs takes longer than ours.
        self.environment = {
            **os.environ,
            "STORE": uri,
            "TRADEOFF_HOME": str(home),
            "MLFLOW_HTTP_REQUEST_TIMEOUT": "600",
            "MLFLOW_DISABLE_TELEMETRY": "true",
            "PYTHONPATH": str(Path(__file__).resolve().parents[1]),
        }

    def load(self, words: str) -> tuple[float, float, int]:
        """Seconds of the imports, of the load, and how many runs came."""
        command = [sys.executable, "-c", words, WIDE]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=True)
        imported, took, runs = json.loads(done.stdout.splitlines()[-1])
        return imported, took, runs

    @contextmanager
    def watching(self) -> Iterator[subprocess.Popen[str]]:
        """A process that has looked, and looks again whenever it is asked."""
        command = [sys.executable, "-c", WATCHED]
        process = subprocess.Popen(
            command, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        try:
            assert process.stdout is not None
            assert process.stdout.readline().strip() == "ready"
            yield process
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(timeout=60)


def look_again(process: subprocess.Popen[str]) -> tuple[float, int]:
    """Seconds of another look, and how many trials there are."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("look\n")
    process.stdin.flush()
    _, took, runs = json.loads(process.stdout.readline())
    return took, runs


def told(name: str, seconds: Sequence[float], more: str = "") -> str:
    """A line of the table."""
    return f"{name:<46} {min(seconds):7.2f} s ({statistics.median(seconds):6.2f})   {more}".rstrip()


def measure(uri: str, writes: str, trials: int, repeats: int, home: Path) -> None:
    """All figures of a store that is read at ``uri`` and written straight at ``writes``."""
    loads = Loads(uri, home)
    peer, first, imports, kept = [], [], [], []
    for _ in range(repeats):
        theirs, took, runs = loads.load(PEER)
        assert runs == trials
        peer.append(took)
        for one in (home / "cache").glob("*.npz"):
            one.unlink()
        imported, took, runs = loads.load(OURS)
        assert runs == trials
        first.append(took)
        imports.append((theirs, imported))
        kept.append(loads.load(OURS)[1])
    ratio = min(peer) / min(first)
    print(told("mlflow.search_runs to a DataFrame", peer))
    print(told("first load, nothing kept", first, f"{ratio:.1f}x as fast, wanted ≥ 3x"))
    print(told("load from what is kept, new process", kept, "wanted < 1 s"))
    fresh, warm = [], []
    with loads.watching() as watcher:
        for turn in range(repeats):
            count = trials + NEW * turn
            add_trials(writes, range(count, count + NEW))
            took, runs = look_again(watcher)
            assert runs == count + NEW
            warm.append(took)
            _, took, runs = loads.load(OURS)
            assert runs == count + NEW
            fresh.append(took)
    print(told(f"a look after {NEW} new runs, same process", warm, "wanted < 1 s"))
    print(told(f"a load after {NEW} new runs, new process", fresh, "wanted < 1 s"))
    print(told("imports of MLflow, not counted", [one for one, _ in imports]))
    print(told("imports of ours, not counted", [one for _, one in imports]))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, help="10,000, of a server 2,000")
    parser.add_argument(
        "--store", default="sqlite", help="sqlite, postgresql, or an address of an empty store"
    )
    parser.add_argument("--server", action="store_true", help="read through mlflow server")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args(arguments)
    trials = options.trials or (2000 if options.server else 10_000)
    where = f"mlflow server on {options.store}" if options.server else options.store
    print(
        f"{trials:,} runs, {PARAMS} parameters, {METRICS} metrics; {where}\n"
        f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before; "
        f"Python {platform.python_version()}, mlflow {version('mlflow')}",
        flush=True,
    )
    with tempfile.TemporaryDirectory(dir="/tmp") as made, ExitStack() as stack:
        folder = Path(made)
        os.environ["TRADEOFF_HOME"] = str(folder / "home")
        writes = stack.enter_context(_store(options.store, folder))
        write_wide(writes, trials)
        uri = stack.enter_context(mlflow_server(writes, folder)) if options.server else writes
        measure(uri, writes, trials, options.repeats, folder / "home")
    print(f"load {os.getloadavg()[0]:.1f} after")


if __name__ == "__main__":
    main()
