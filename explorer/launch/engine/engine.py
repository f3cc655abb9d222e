"""The driver's hold on the process in which Ray runs: packs go out, events come in."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from explorer.errors import UserError
from explorer.launch.addresses import NO_CLIENT
from explorer.launch.engine.messages import Alive, Close, Event, Lost, Opening, Ready, Refused, Request
from explorer.launch.faults import Death
from explorer.launch.slots import Slots

__all__ = ["Engine", "EngineLost", "joined_address"]

SILENCE = 60.0
"""Seconds without a sign after which the process of Ray counts as lost; it gives one every few."""
STARTING = 180.0
"""The same while Ray starts, which on a busy machine takes a while."""
ENDING = 20.0
"""Seconds in which it should end when there is nothing more to do."""


class EngineLost(Exception):
    """The process of Ray is no more, or says nothing any more, or cannot go on."""

    def __init__(self, death: Death) -> None:
        super().__init__(death.reason)
        self.death = death


class Engine:
    """Ray in a process of its own.

    Attributes:
        slots: how many packs run at once.
        gpus: the cards, or part of one, that a pack gets.
    """

    def __init__(self, log: Path) -> None:
        """Start the process, which loads Ray; its own talk goes into ``log``."""
        ours, theirs = socket.socketpair()
        self._scratch = tempfile.mkdtemp(prefix="tradeoff-lanes-")
        with log.open("ab") as said:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "explorer.launch.engine.room", str(theirs.fileno()), self._scratch],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,  # Ctrl-C is for the driver, which decides what becomes of its packs
            )
        theirs.close()
        self._link = Connection(ours.detach())
        self._heard = time.monotonic()
        self.slots, self.gpus = Slots(1, gpu=False), 0.0

    def open(self, opening: Opening) -> None:
        """Let it start Ray, or join the cluster."""
        self.send(opening)

    def wait(self) -> Iterator[None]:
        """Until Ray runs; hands control back now and then. Refuses what the user must mend."""
        while True:
            event = self._receive(0.2, STARTING)
            if isinstance(event, Refused):
                raise UserError(event.reason)
            if isinstance(event, Ready):
                self.slots, self.gpus = event.slots, event.gpus
                return
            yield

    def send(self, request: Request | Opening) -> None:
        """Ask for something; what is lost with the process is the caller's to ask for again."""
        try:
            self._link.send(request)
        except OSError as error:
            raise EngineLost(self._ended()) from error

    def next(self, patience: float) -> Event | None:
        """What happened, or None if nothing did for so many seconds."""
        event = self._receive(patience, SILENCE)
        return None if isinstance(event, Alive) else event

    def _receive(self, patience: float, silence: float) -> Event | None:
        try:
            if self._link.poll(patience):
                event: Event = self._link.recv()
                self._heard = time.monotonic()
                if isinstance(event, Lost):
                    raise EngineLost(event.death)
                return event
        except (EOFError, OSError) as error:
            raise EngineLost(self._ended()) from error
        if time.monotonic() - self._heard > silence:
            raise EngineLost(Death("node", f"Ray has not been heard of for {silence:.0f} seconds"))
        return None

    def _ended(self) -> Death:
        words = "Ray's processes died" if self._is_over(5.0) else "Ray does not listen any more"
        return Death("node", words)

    def _is_over(self, seconds: float) -> bool:
        """Whether the process ends in that time. It is not buried yet, so that nobody else can come to its number."""
        deadline = time.monotonic() + seconds
        how = os.WEXITED | os.WNOWAIT | os.WNOHANG
        with suppress(
            ChildProcessError
        ):  # a program that ignores the ends of its children has buried it already
            while self._process.returncode is None and os.waitid(os.P_PID, self._process.pid, how) is None:
                if time.monotonic() > deadline:
                    return False
                time.sleep(0.02)
        return True

    def close(self) -> None:
        """There is nothing more to do: the process leaves a cluster, or ends at once, and a Ray of its own with it."""
        try:
            self.send(Close())
            deadline = time.monotonic() + ENDING
            while time.monotonic() < deadline:
                self._receive(0.2, ENDING)
        except EngineLost:
            pass
        self.kill()

    def kill(self) -> None:
        """End it now, with all that it started: it lives in a session of its own, and what it leaves is ended, too."""
        self._link.close()
        if self._process.returncode is not None:
            return
        self._is_over(2.0)  # without us it ends by itself
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        shutil.rmtree(self._scratch, ignore_errors=True)


def joined_address(address: str | None) -> str | None:
    """Where to run: the address that was given, else that of the runtime which this process is in already, if any."""
    if "ray" not in sys.modules:
        return address
    import ray
    from ray.util.client import ray as client

    if not ray.is_initialized():
        return address
    if client.is_connected():  # type: ignore[no-untyped-call]
        raise UserError(NO_CLIENT.format("ray://…"))
    here: str = ray.get_runtime_context().gcs_address
    if address not in (None, "auto", here):
        raise UserError(
            f"this process is in the Ray runtime at '{here}' already, so it cannot join '{address}'; "
            "leave the address out, or call ray.shutdown() first"
        )
    return here
