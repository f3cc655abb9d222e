"""``tradeoff app`` takes the first free port and turns into the server of the app."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from explorer.cli import command_line
from explorer.cli.app import SETTINGS, streamlit_arguments


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


def test_the_command_becomes_the_server_and_says_where(monkeypatch: pytest.MonkeyPatch, busy: int) -> None:
    calls: list[Any] = []

    def execve(path: str, arguments: list[str], environment: dict[str, str]) -> None:
        calls.append((arguments, environment))
        raise _Became

    monkeypatch.setattr(os, "execve", execve)
    command = ["app", "--port", str(busy), "--headless", "--tracking-uri", "sqlite:////tmp/x.db"]
    command += ["--refresh", "2"]
    result = CliRunner().invoke(command_line, command)
    assert isinstance(result.exception, _Became)
    ((arguments, environment),) = calls
    assert environment["MLFLOW_TRACKING_URI"] == "sqlite:////tmp/x.db"
    assert environment["TRADEOFF_REFRESH"] == "2.0"
    port = next(a for a in arguments if a.startswith("--server.port=")).partition("=")[2]
    assert f"Port {busy} is busy, taking {port}." in result.stdout
    assert f"Tradeoff Explorer at http://localhost:{port}" in result.stdout
