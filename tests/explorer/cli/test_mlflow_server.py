"""A server of ours ends with the command, with all its processes; one that ends by itself is told of."""

from __future__ import annotations

import os
import signal
import sys
import time
import webbrowser
from pathlib import Path

import pytest

from explorer.cli import mlflow_server as module
from explorer.cli.mlflow_server import ServedStore, open_page, server_command, server_settings
from explorer.errors import UserError

SERVER = """#!{python}
import http.server, os, pathlib, subprocess, sys
port = int(sys.argv[sys.argv.index("--port") + 1])
child = subprocess.Popen(["sleep", "600"])
pathlib.Path({pids!r}).write_text(f"{{os.getpid()}} {{child.pid}}")
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
    def log_message(self, *arguments):
        pass
http.server.HTTPServer(("127.0.0.1", port), Page).serve_forever()
"""
"""A server that answers, and has a child of its own, as MLflow's has."""


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A quick server in the place of MLflow's; → the file in which it writes who its processes are."""
    pids, program = tmp_path / "pids", tmp_path / "server"
    program.write_text(SERVER.format(python=sys.executable, pids=str(pids)))
    program.chmod(0o755)
    monkeypatch.setattr(module, "server_command", lambda port: [str(program), "--port", str(port)])
    return pids


def alive(pids: Path) -> list[int]:
    """Those that run; one that ended and was not waited for does not."""
    found = []
    for pid in map(int, pids.read_text().split()):
        state = Path(f"/proc/{pid}/stat")
        if state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z":
            found.append(pid)
    return found


def until_gone(pids: Path) -> None:
    for _ in range(200):
        if not alive(pids):
            return
        time.sleep(0.05)
    pytest.fail(f"processes {alive(pids)} are left behind")


def test_it_is_there_inside_the_block_and_gone_behind_it(stub: Path, busy: int, capsys) -> None:
    with ServedStore("sqlite:////somewhere/mlflow.db", busy) as server:
        server.wait()
        assert len(alive(stub)) == 2
        assert server.address != f"http://127.0.0.1:{busy}"
    until_gone(stub)
    assert f"Port {busy} is busy, taking " in capsys.readouterr().out


def test_mlflow_serves_the_store_with_one_worker() -> None:
    command = server_command(5001)
    assert command[:4] == [sys.executable, "-m", "mlflow", "server"]
    told = server_settings("sqlite:////somewhere/mlflow.db")
    assert told["MLFLOW_BACKEND_STORE_URI"] == "sqlite:////somewhere/mlflow.db"
    assert command[-4:] == ["--port", "5001", "--workers", "1"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_block(stub: Path, number: int) -> None:
    before = signal.getsignal(number)

    def served() -> None:
        with ServedStore("sqlite:////x.db", 5600) as server:
            server.wait()
            os.kill(os.getpid(), number)
            server.watch()

    with pytest.raises(SystemExit) as ended:
        served()
    assert ended.value.code == 128 + number
    assert signal.getsignal(number) == before
    until_gone(stub)


def test_ctrl_c_ends_watching_in_peace(stub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(seconds: float) -> None:
        raise KeyboardInterrupt

    with ServedStore("sqlite:////x.db", 5600) as server:
        server.wait()
        with monkeypatch.context() as patched:
            patched.setattr(module.time, "sleep", pressed)
            server.watch()
    until_gone(stub)


def test_a_server_that_ends_by_itself_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "server_command", lambda port: ["/bin/false"])
    with pytest.raises(UserError, match="ended with code 1"), ServedStore("sqlite:////x.db", 5600) as server:
        server.wait()


def test_a_server_that_is_silent_is_told(monkeypatch: pytest.MonkeyPatch, stub: Path) -> None:
    monkeypatch.setattr(module, "_answers", lambda address: False)
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    with ServedStore("sqlite:////x.db", 5600) as server:
        while not stub.exists():
            time.sleep(0.02)
        with pytest.raises(UserError, match="must answer within 0 s"):
            server.wait()
    until_gone(stub)


def test_a_page_is_opened_where_there_is_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setenv("DISPLAY", ":0")
    open_page("http://here", wanted=False)
    assert opened == []
    open_page("http://here", wanted=True)
    assert opened == ["http://here"]
    monkeypatch.setattr(module.sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    open_page("http://there", wanted=True)
    assert opened == ["http://here"]
