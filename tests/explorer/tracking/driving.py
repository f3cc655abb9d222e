"""Processes that drive a sweep, begun from one that has loaded all that takes long: a fork is there at once."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from multiprocessing import connection, get_context

import explorer.store.holders as holders
from explorer.errors import UserError
from explorer.tracking import Lease, Tracker
from explorer.tracking.lease import Pace

__all__ = ["Driver", "first_to_speak"]

_FORKS = get_context("forkserver")
_FORKS.set_forkserver_preload([__name__, "mlflow.store.tracking.sqlalchemy_store"])


class Driver:
    """A process that opens a sweep, begins a trial and then waits for a word.

    Args:
        host: makes it one of another machine.
        together: it waits for a word before it opens the sweep, too, and takes its time until it holds it: who come
            together must all have written before one is sure, however busy the machine is.
    """

    def __init__(self, uri: str, sweep: str, host: str = "", *, together: bool = False) -> None:
        self.link, theirs = _FORKS.Pipe()
        self.process = _FORKS.Process(target=_drive, args=(uri, sweep, host, together, theirs), daemon=True)
        self.process.start()
        theirs.close()
        assert self.process.pid is not None
        self.pid: int = self.process.pid

    def line(self) -> str:
        """What it says next."""
        said = self.link.recv()
        assert isinstance(said, str)
        return said

    def go_on(self) -> None:
        """The word that it waits for."""
        self.link.send("")

    def send(self, what: int) -> None:
        """A signal."""
        os.kill(self.pid, what)

    def wait(self) -> int | None:
        """Its exit code, once it is over."""
        self.process.join(timeout=60)
        return self.process.exitcode

    def end(self) -> list[str]:
        """Let it end, and hear what else it says."""
        self.go_on()
        said = []
        while True:
            try:
                said.append(self.line())
            except EOFError:
                break
        assert self.wait() == 0
        return said

    def kill(self) -> None:
        """End it for good, whatever it does."""
        self.process.kill()
        self.process.join()


def first_to_speak(*drivers: Driver) -> Driver:
    """Whoever says something next."""
    spoke = connection.wait([driver.link for driver in drivers])
    return next(driver for driver in drivers if driver.link in spoke)


def _drive(uri: str, sweep: str, host: str, together: bool, link: connection.Connection) -> None:
    if host:
        holders.socket.gethostname = holders._machine = lambda: host
    try:
        pace = Pace(0.4, 30, 3.0) if together else Pace(0.4, 2.5, 0.2)
        with Lease(uri, "tests", sweep, link.send, pace) as lease:
            tracker = Tracker(uri, "tests", lease=lease)
            if together:
                link.send("ready")
                link.recv()
            tracker.open_sweep(sweep, {"fid": "min"}, "", "name: x", '{"metrics": []}')
            tracker.start([("a", {"seed": 1})])
            link.send("held")
            with suppress(KeyboardInterrupt):
                link.recv()
            tracker.close_sweep(interrupted=True)
    except UserError as error:
        link.send(f"refused: {error}")
        sys.exit(2)
