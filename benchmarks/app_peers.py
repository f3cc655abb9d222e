"""MLflow's own charts and optuna-dashboard with the trials of a large store: seconds to the first chart with points."""

from __future__ import annotations

import argparse
import re
import shutil
import socket
import sqlite3
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, TimeoutError

EXPERIMENT = "tradeoff-explorer"
START_S = 120.0
PATIENCE_S = 20.0

# Both draw with Plotly. A plot counts once it has data and the marks that stand for them: paths, or a WebGL canvas.
POINTS = """() => [...document.querySelectorAll('.js-plotly-plot')].map(plot => {
  const marks = plot.querySelectorAll('.point, .js-line, .gl-container canvas').length;
  return marks ? (plot.data ?? []).reduce((sum, trace) => sum + (trace.x?.length ?? 0), 0) : 0;
}).filter(Boolean)"""
CLOCK = f"""
const look = () => {{
  if (document.body && ({POINTS})().length) requestAnimationFrame(() => {{ window.__painted = performance.now(); }});
  else requestAnimationFrame(look);
}};
requestAnimationFrame(look);
"""

STUDY = """
import sys
import optuna
optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(storage=sys.argv[1], study_name="none")  # the dashboard shows no study of number 0
study = optuna.create_study(
    storage=sys.argv[1], study_name="large", directions=["maximize", "maximize", "minimize"]
)
study.set_metric_names(["precision", "recall", "fid"])
study.add_trial(optuna.create_trial(values=[0, 0, 0]))
print(study._study_id, optuna.distributions.distribution_to_json(optuna.distributions.FloatDistribution(0, 100)))
"""
"""Makes the tables and one trial; ``add_trials`` takes minutes for 10,000 more, which are copied instead."""
GOALS = ("precision", "recall", "fid")
PARAMS = ("objective.lam", "constraint.lipschitz", "seed")


@dataclass(frozen=True)
class Peer:
    """What a peer did: seconds to its first chart with points, None where none came, and what was seen."""

    name: str
    seconds: float | None
    limit: float
    seen: str


def measured(browser: Browser, database: Path, room: Path, options: argparse.Namespace) -> Iterator[Peer]:
    """The peers asked for, one after the other."""
    if "mlflow" in options.only:
        yield mlflow_charts(browser, database, room, options)
    if "optuna" in options.only and options.peers is not None:
        yield optuna_dashboard(browser, database, room, options)
    elif "optuna" in options.only:
        yield Peer("optuna-dashboard", None, 0, "not asked, --peers names no Python that has it")


def mlflow_charts(browser: Browser, database: Path, room: Path, options: argparse.Namespace) -> Peer:
    """The chart view of the experiment, with a server that has answered before."""
    copy = room / "mlflow.db"
    shutil.copy(database, copy)
    with closing(sqlite3.connect(copy)) as link, link:
        link.execute("DELETE FROM tags WHERE key = 'mlflow.parentRunId'")
        ((experiment,),) = link.execute("SELECT experiment_id FROM experiments WHERE name = ?", (EXPERIMENT,))
    port = unused_port()
    command = [sys.executable, "-m", "mlflow", "server", "--backend-store-uri", f"sqlite:///{copy}"]
    with serving([*command, "--workers", "1", "--port", str(port)], port, room):
        address = f"http://127.0.0.1:{port}/#/experiments/{experiment}/runs?compareRunsMode=CHART"
        return painted(browser, "MLflow, chart view", address, options, r"[\d,]+ matching runs")


def optuna_dashboard(browser: Browser, database: Path, room: Path, options: argparse.Namespace) -> Peer:
    """The page of a study with the store's finished trials and the sweep's three objectives."""
    storage = room / "optuna.db"
    study = write_study(database, storage, options.peers)
    port = unused_port()
    command = [
        str(options.peers.absolute().parent / "optuna-dashboard"),
        f"sqlite:///{storage}",
        "--port",
        str(port),
    ]
    with serving(command, port, room):
        address = f"http://127.0.0.1:{port}/dashboard/studies/{study}"
        return painted(browser, "optuna-dashboard, study", address, options, r"Study #\d+")


def write_study(database: Path, storage: Path, python: Path) -> int:
    """The finished trials as a study of Optuna's; its number."""
    made = subprocess.run(
        [str(python), "-W", "ignore", "-c", STUDY, f"sqlite:///{storage}"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    number, distribution = made.stdout.strip().split(" ", 1)
    values = column(database, "latest_metrics", GOALS)
    params = column(database, "params", PARAMS)
    with closing(sqlite3.connect(storage)) as link, link:
        ((start,),) = link.execute("SELECT max(trial_id) FROM trials")
        link.execute("DELETE FROM trial_values")
        link.execute("DELETE FROM trials")
        for i, (run, told) in enumerate(values.items()):
            trial = start + 1 + i
            link.execute(
                "INSERT INTO trials (trial_id, number, study_id, state, datetime_start, datetime_complete) "
                "VALUES (?, ?, ?, 'COMPLETE', '2026-01-01 00:00:00.000000', '2026-01-01 00:01:00.000000')",
                (trial, i, int(number)),
            )
            link.executemany(
                "INSERT INTO trial_values (trial_id, objective, value, value_type) VALUES (?, ?, ?, 'FINITE')",
                [(trial, j, told[goal]) for j, goal in enumerate(GOALS)],
            )
            link.executemany(
                "INSERT INTO trial_params (trial_id, param_name, param_value, distribution_json) VALUES (?, ?, ?, ?)",
                [(trial, name, value, distribution) for name, value in params[run].items()],
            )
    return int(number)


def column(database: Path, table: str, keys: tuple[str, ...]) -> Mapping[str, dict[str, float]]:
    """Numbers of finished runs by run and key."""
    found: dict[str, dict[str, float]] = {}
    query = f"SELECT run_uuid, key, value FROM {table} JOIN runs USING (run_uuid) WHERE status = 'FINISHED' AND key IN "
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as link:
        for run, key, value in link.execute(f"{query} ({', '.join('?' * len(keys))})", keys):
            found.setdefault(run, {})[key] = float(value)
    return found


def painted(browser: Browser, name: str, address: str, options: argparse.Namespace, says: str) -> Peer:
    """Seconds from the beginning of a visit to its first plot with points; a visit before warms the caches.

    The median of ``--repeats`` visits, or the first if it takes longer than ``PATIENCE_S``. Of the page's own words
    those are kept that match ``says``.
    """
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    seconds: list[float] = []
    try:
        while len(seconds) <= options.repeats and max(seconds[1:], default=0) < PATIENCE_S:
            page = context.new_page()
            page.add_init_script(CLOCK)
            page.goto(address, wait_until="commit")
            try:
                page.wait_for_function("window.__painted", timeout=options.limit * 1e3)
            except TimeoutError:
                words = " ".join(page.inner_text("body").split())
                return Peer(name, None, options.limit, f"the page says '{words[:120]}'")
            seconds.append(page.evaluate("window.__painted") / 1e3)
            counts, words = page.evaluate(POINTS), page.inner_text("body")
            page.close()
    finally:
        context.close()
    told = re.search(says, words)
    seen = f"{len(counts)} plots, at most {max(counts):,} points" + (f", '{told.group()}'" if told else "")
    return Peer(name, statistics.median(seconds[1:]), options.limit, seen)


@contextmanager
def serving(command: list[str], port: int, room: Path) -> Iterator[None]:
    """A server until the block ends, its words in a file of the room."""
    with (room / f"{port}.log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=room)
        try:
            deadline = time.monotonic() + START_S
            while not _answers(port):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(
                        f"{command[0]} did not answer: {(room / f'{port}.log').read_text()[-500:]}"
                    )
                time.sleep(0.2)
            yield
        finally:
            process.terminate()
            process.wait(timeout=30)


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5):
            return True
    except OSError:
        return False


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
