"""MLflow's server as a child of the command: it ends with it, whichever way that ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from types import FrameType, TracebackType

from explorer.cli.ports import ClaimedPort
from explorer.errors import UserError

__all__ = ["ServedStore", "open_page", "server_command", "server_settings"]

HOST = "127.0.0.1"
PATIENCE = 120.0
"""Seconds in which the server must answer; a cold disk takes it half a minute."""
GRACE = 5.0
"""Seconds in which it may end by itself."""
_PAUSE = 0.2


class ServedStore:
    """A store's pages, served on the first free port from ``port`` on, until the block is left."""

    def __init__(self, uri: str, port: int) -> None:
        self._uri = uri
        self._claim = ClaimedPort(HOST, port)
        self._port = self._claim.port
        if self._port != port:
            print(f"Port {port} is busy, taking {self._port}.", flush=True)
        self.address = f"http://{HOST}:{self._port}"
        self._process: subprocess.Popen[bytes] | None = None
        self._before: dict[int, object] = {}

    def __enter__(self) -> ServedStore:
        environment = {**os.environ, **server_settings(self._uri)}
        for number in (signal.SIGTERM, signal.SIGHUP):
            self._before[number] = signal.signal(number, _leave)
        # A group of its own: MLflow's server is several processes, and Ctrl-C is for this one, which ends them.
        self._process = subprocess.Popen(
            server_command(self._port),
            env=environment,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process is not None
        for last in (signal.SIGTERM, signal.SIGKILL):
            _tell_group(self._process.pid, last)
            try:
                self._process.wait(GRACE)
            except subprocess.TimeoutExpired:
                continue
        _tell_group(self._process.pid, signal.SIGKILL)  # workers that outlived their parent
        self._claim.release()
        for number, handler in self._before.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def wait(self) -> None:
        """Until it answers."""
        deadline = time.monotonic() + PATIENCE
        while True:
            self._check()  # first: whoever else might answer there is not ours
            if _answers(f"{self.address}/health"):
                return
            if time.monotonic() > deadline:
                raise UserError(
                    f"MLflow's server must answer within {PATIENCE:.0f} s, and was silent on {self.address}; run the "
                    "command again, or look at what it printed"
                )
            time.sleep(_PAUSE)

    def watch(self) -> None:
        """Until Ctrl-C; it does not end by itself."""
        with suppress(KeyboardInterrupt):
            while True:
                self._check()
                time.sleep(_PAUSE)

    def _check(self) -> None:
        assert self._process is not None
        code = self._process.poll()
        if code is not None:
            raise UserError(
                f"MLflow's server must go on, and ended with code {code}; see what it printed, then run this again"
            )


def server_command(port: int) -> list[str]:
    """MLflow's server; one worker starts in a third of the time of its default."""
    options = ["--host", HOST, "--port", str(port), "--workers", "1"]
    return [sys.executable, "-m", "mlflow", "server", *options]


def server_settings(uri: str) -> dict[str, str]:
    """Variables of the server: which store it reads, whose password ``ps`` shows on no command line.

    Without the job runner it takes a tenth of the memory of MLflow's default.
    """
    from explorer.store.addresses import sqlite_address

    return {"MLFLOW_BACKEND_STORE_URI": sqlite_address(uri), "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}


def open_page(page: str, wanted: bool) -> None:
    """Open a page in the browser, if that is wanted and there is a screen to open it on."""
    screen = sys.platform != "linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if wanted and screen:
        import webbrowser

        webbrowser.open(page)


def _answers(address: str) -> bool:
    # No proxy stands between two programs of one machine.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(address, timeout=2) as answer:
            return int(answer.status) == 200
    except (OSError, urllib.error.URLError):
        return False


def _tell_group(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
