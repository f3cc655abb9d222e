"""``tradeoff mlflow`` opens MLflow's own pages on the trials of a sweep, and says what it cannot."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from explorer.cli import command_line, mlflow_server
from explorer.tracking import Tracker, TrialRun
from tests.stores import empty_store

OBJECTIVES = {"precision": "max", "recall": "max"}
WAIT = 90_000
"""Milliseconds: a busy machine fails no test."""


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Stores and ports of servers, which end at once."""
    calls: list[tuple[str, int]] = []

    asked: list[str] = []

    def settings(uri: str) -> dict[str, str]:
        asked.append(uri)
        return {}

    def command(port: int) -> list[str]:
        calls.append((asked.pop(), port))
        return ["/bin/false"]

    monkeypatch.setattr(mlflow_server, "server_settings", settings)
    monkeypatch.setattr(mlflow_server, "server_command", command)
    return calls


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command_line, ["mlflow", "--headless", *arguments])


def written(folder: Path, *names: str) -> str:
    """A store with a sweep of each name: three λ, two evaluations."""
    uri = empty_store(folder)
    for name in names:
        tracker = Tracker(uri, "tests")
        tracker.open_sweep(name, OBJECTIVES, "What it is for", "name: x\n", '{"metrics": []}')
        lambdas = (0.1, 1.0, 10.0)
        tracker.start([TrialRun(f"{name}{lam}", {"objective.lam": lam}, f"lam {lam:g}") for lam in lambdas])
        for lam in lambdas:
            for step in (1, 2):
                told = {"precision": 0.5 + lam / 25, "recall": 0.9 - lam / 25 - step / 100}
                tracker.log(f"{name}{lam}", step, {**told, "obrs/2/precision": 0.9})
            tracker.finish(f"{name}{lam}")
        tracker.close_sweep(interrupted=False)
    return uri


def test_it_serves_the_store_of_the_data_folder(started: list[tuple[str, int]], tmp_path: Path) -> None:
    empty_store(tmp_path)
    assert "ended with code 1" in str(run("--port", "5655").exception)
    ((uri, port),) = started
    assert uri == f"sqlite:///{tmp_path / 'mlflow.db'}"
    assert port >= 5655


def test_a_store_that_is_not_there_or_not_whole_is_told(
    started: list[tuple[str, int]], tmp_path: Path
) -> None:
    missing = run("--tracking-uri", f"sqlite:///{tmp_path}/mistyped.db")
    assert "must be a SQLite file, and there is none" in str(missing.exception)
    (tmp_path / "mlflow.db").touch()
    assert "is half made" in str(run().exception)
    assert started == []


def test_a_sweep_that_is_not_there_is_told_with_those_that_are(
    started: list[tuple[str, int]], tmp_path: Path
) -> None:
    written(tmp_path, "ring")
    assert "no sweep 'rong' in" in str(run("rong").exception)
    assert "did you mean 'ring'" in str(run("rong").exception)


def test_a_server_that_does_not_answer_is_told(started: list[tuple[str, int]]) -> None:
    result = run("--tracking-uri", "http://127.0.0.1:9")
    assert "127.0.0.1:9" in str(result.exception)
    assert started == []


@pytest.mark.browser
def test_the_page_that_opens_has_the_sweeps_runs_and_its_charts(
    tmp_path: Path, browser: Any, busy: int
) -> None:
    written(tmp_path, "ring", "other")
    # A context of its own: MLflow's pages ask for servers beyond this machine, which are none of ours.
    context = browser.new_context(viewport={"width": 1400, "height": 1600}, reduced_motion="reduce")
    page = context.new_page()
    command = [sys.executable, "-m", "explorer", "mlflow", "ring", "--port", str(busy), "--headless"]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=dict(os.environ)
    )
    try:
        assert server.stdout is not None
        said = ""
        while "Ctrl-C" not in said:
            line = server.stdout.readline()
            assert line, f"the command ended after {said!r}"
            said += line
        assert f"Port {busy} is busy, taking " in said
        found = re.search(r"http://127\.0\.0\.1:\d+/#\S+", said)
        assert found is not None
        page.goto(found[0])
        page.get_by_text("matching runs").wait_for(timeout=WAIT)
        page.get_by_role("link", name="lam 10").wait_for(timeout=WAIT)
        assert page.get_by_text("3 matching runs").count() == 1
        # In the order of the first objective, with the front as the first chart.
        names = page.get_by_role("link", name=re.compile("^lam ")).all_inner_texts()
        assert names == ["lam 10", "lam 1", "lam 0.1"]
        page.get_by_text("recall vs. precision").wait_for(timeout=WAIT)
        page.get_by_text("While training").wait_for(timeout=WAIT)
        # The run behind a name is a page that MLflow draws too.
        page.get_by_role("link", name="lam 10").click()
        page.get_by_role("heading", name="lam 10").first.wait_for(timeout=WAIT)
    finally:
        context.close()
        server.send_signal(signal.SIGINT)
        assert server.wait(60) == 0
