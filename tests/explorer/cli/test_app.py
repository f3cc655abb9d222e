"""``tradeoff app`` takes the first free port and turns into the server of the app."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from explorer.cli import command_line
from explorer.cli.app import SETTINGS, streamlit_arguments
from tests.stores import empty_store


def test_the_servers_command_line_has_every_setting() -> None:
    arguments = streamlit_arguments("0.0.0.0", 8600, browser=False)
    assert arguments[:4] == [sys.executable, "-m", "streamlit", "run"]
    assert Path(arguments[4]).name == "main.py"
    assert Path(arguments[4]).is_file()
    assert {f"--{key}={value}" for key, value in SETTINGS.items()} <= set(arguments)
    assert {"--server.address=0.0.0.0", "--server.port=8600", "--server.headless=true"} <= set(arguments)
    assert "--server.headless=false" in streamlit_arguments("127.0.0.1", 8501, browser=True)


class _Became(Exception):
    """What the process would have turned into."""


def test_the_command_becomes_the_server_and_says_where(
    monkeypatch: pytest.MonkeyPatch, busy: int, tmp_path: Path
) -> None:
    uri = empty_store(tmp_path)
    calls: list[Any] = []

    def execve(path: str, arguments: list[str], environment: dict[str, str]) -> None:
        calls.append((arguments, environment))
        raise _Became

    monkeypatch.setattr(os, "execve", execve)
    command = ["app", "--port", str(busy), "--headless", "--tracking-uri", uri]
    command += ["--refresh", "2"]
    result = CliRunner().invoke(command_line, command)
    assert isinstance(result.exception, _Became)
    ((arguments, environment),) = calls
    assert environment["MLFLOW_TRACKING_URI"] == uri
    assert environment["TRADEOFF_REFRESH"] == "2.0"
    port = next(a for a in arguments if a.startswith("--server.port=")).partition("=")[2]
    assert f"Port {busy} is busy, taking {port}." in result.stdout
    assert f"Tradeoff Explorer at http://localhost:{port}" in result.stdout


@pytest.mark.parametrize("way", [["--tracking-uri"], []])
def test_a_store_that_is_not_there_is_refused_at_once_with_the_one_that_was_meant(
    way: list[str], tmp_path: Path
) -> None:
    empty_store(tmp_path)
    command = [sys.executable, "-m", "explorer", "app", "--headless", *way, f"sqlite:///{tmp_path}/mlfow.db"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        f"tradeoff: tracking store '{tmp_path}/mlfow.db' must be a SQLite file, and there is none; "
        "did you mean 'mlflow.db'?\n"
    )


def test_the_default_store_need_not_be_there_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def execve(path: str, arguments: list[str], environment: dict[str, str]) -> None:
        raise _Became

    monkeypatch.setattr(os, "execve", execve)
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    assert isinstance(CliRunner().invoke(command_line, ["app", "--headless"]).exception, _Became)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/other.db")
    refused = CliRunner().invoke(command_line, ["app", "--headless"])
    assert "must be a SQLite file, and there is none" in str(refused.exception)
