"""``tradeoff mlflow`` turns into MLflow's own server on the sweeps' store, unless that is a server already."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from explorer.cli import command_line
from tests.stores import empty_store


class _Became(Exception):
    """What the process would have turned into."""


@pytest.fixture
def became(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    calls: list[Any] = []

    def execve(path: str, arguments: list[str], environment: dict[str, str]) -> None:
        calls.append((path, arguments, environment))
        raise _Became

    monkeypatch.setattr(os, "execve", execve)
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    return calls


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command_line, ["mlflow", *arguments])


def test_it_reads_the_store_of_the_data_folder(became: list[Any], tmp_path: Path) -> None:
    empty_store(tmp_path)
    run("--port", "5055")
    ((path, arguments, environment),) = became
    assert path == arguments[0] == sys.executable
    assert arguments[1:4] == ["-m", "mlflow", "server"]
    assert arguments[arguments.index("--backend-store-uri") + 1] == f"sqlite:///{tmp_path / 'mlflow.db'}"
    assert arguments[arguments.index("--port") + 1] == "5055"
    assert environment["MLFLOW_SERVER_ENABLE_JOB_EXECUTION"] == "false"


def test_another_store_may_be_named(became: list[Any], tmp_path: Path) -> None:
    other = empty_store(tmp_path / "other")
    run("--tracking-uri", other)
    assert other in became[0][1]


def test_a_taken_port_is_told_and_no_server_started(became: list[Any]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = run("--port", str(port))
    assert str(result.exception) == (
        f"a free port is needed, but {port} is taken by another program; choose another with --port"
    )
    assert became == []


def test_a_store_that_is_not_there_or_not_whole_is_told(became: list[Any], tmp_path: Path) -> None:
    missing = run("--tracking-uri", f"sqlite:///{tmp_path}/mistyped.db")
    assert "must be a SQLite file, and there is none" in str(missing.exception)
    (tmp_path / "mlflow.db").touch()
    assert "is half made" in str(run().exception)
    assert became == []


def test_of_a_server_only_the_address_is_told(became: list[Any]) -> None:
    result = run("--tracking-uri", "http://host:5000")
    assert result.stdout == "the runs are on a server already: open http://host:5000\n"
    assert became == []
