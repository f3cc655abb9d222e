"""Ports to serve on."""

from __future__ import annotations

import socket

from explorer.errors import UserError

__all__ = ["TRIES", "free_port"]

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
    busy = f"{first} to {last} are all busy" if last > first else f"{first} is taken by another program"
    raise UserError(f"a free port is needed, but {busy}; choose another with --port")
