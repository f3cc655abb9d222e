"""Ports to serve on."""

from __future__ import annotations

import errno
import socket

from explorer.errors import UserError

__all__ = ["TRIES", "ClaimedPort", "free_port"]

TRIES = 20
"""Ports that are tried unless told otherwise."""


def free_port(host: str, first: int, tries: int = TRIES) -> int:
    """The first free port from ``first`` on, among so many."""
    last = min(first + tries, 65536) - 1
    for port in range(first, last + 1):
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except PermissionError:
                raise UserError(
                    f"port {port} needs privileges; choose one from 1024 on with --port"
                ) from None
            except socket.gaierror as error:
                raise UserError(f"host must be an address of this machine, got '{host}': {error}") from None
            except OSError:
                continue
            return port
    raise _busy(first, last)


class ClaimedPort:
    """The first free port from ``first`` on that no other command of ours is about to serve on.

    A server takes a port half a minute after it was found to be free; meanwhile the claim holds it, for this process
    and among ours: a socket of Linux that has a name and no file, and goes with the process.
    """

    def __init__(self, host: str, first: int) -> None:
        last = min(first + TRIES, 65536) - 1
        self.port = free_port(host, first)
        while (mark := _claim(self.port)) is None:
            if self.port >= last:
                raise _busy(first, last)
            self.port = free_port(host, self.port + 1, last - self.port)
        self._mark = mark

    def release(self) -> None:
        """Another command may have it."""
        self._mark.close()


def _claim(port: int) -> socket.socket | None:
    """A claim of a port; None where another process has it."""
    mark = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        mark.bind(f"\0tradeoff-port-{port}")
    except OSError as error:
        mark.close()
        if error.errno == errno.EADDRINUSE:
            return None
        raise
    return mark


def _busy(first: int, last: int) -> UserError:
    busy = f"{first} to {last} are all busy" if last > first else f"{first} is taken by another program"
    return UserError(f"a free port is needed, but {busy}; choose another with --port")
