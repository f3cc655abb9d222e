"""Addresses of Ray clusters: which one a launch goes to, and whether somebody is there."""

from __future__ import annotations

import os
import re
import socket

from explorer.errors import UserError, shown

__all__ = ["NO_CLIENT", "VARIABLE", "check_address", "check_reachable", "chosen", "joins_cluster"]

VARIABLE = "RAY_ADDRESS"
NO_CLIENT = "run on a node of the cluster, with address auto or HOST:6379, not through Ray Client, got '{}'"


def chosen(address: str | None) -> str:
    """The address that was given, else that of RAY_ADDRESS, else ``local``, a runtime of our own; somebody is there."""
    named = _named(address)
    if address is None:
        check_address(named, VARIABLE)
    check_reachable(named)
    return named


def joins_cluster(address: str | None) -> bool:
    """Whether that leads to a cluster, and not to a runtime of our own; nobody is asked."""
    return _named(address) != "local"


def _named(address: str | None) -> str:
    return (os.environ.get(VARIABLE) or "local") if address is None else address


def check_address(address: str, name: str = "the address") -> None:
    """Refuse what is no address of a cluster, without looking whether one is there."""
    if address.startswith("ray://"):
        raise UserError(NO_CLIENT.format(address))
    host = r"(?:[\w.-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])"
    named = re.fullmatch(rf"{host}:([0-9]{{1,5}})", address)
    if address not in ("auto", "local") and not (named and 0 < int(named[1]) < 1 << 16):
        raise UserError(f"{name} must be auto or HOST:PORT, such as 10.0.0.1:6379, got {shown(address)}")


def check_reachable(address: str) -> None:
    """Refuse an address where nobody listens, for which Ray itself waits for minutes."""
    check_address(address)
    found = _found(address)
    if found == "local":
        return
    host, _, port = found.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
    except (OSError, ValueError) as error:  # the latter of names that no name server takes
        where = f"'{found}'" if found == address else f"'{found}', which {address} finds"
        raise UserError(f"no Ray cluster answers at {where}: {error}") from None


def _found(address: str) -> str:
    """The same address, but for ``auto`` the one at which Ray would look for the cluster.

    That is RAY_ADDRESS, a process on this machine, or what ``ray start`` wrote into a file, which outlives a cluster
    that was killed.
    """
    if address != "auto":
        return address
    from ray._private.services import get_ray_address_from_environment

    try:
        found = str(get_ray_address_from_environment("auto", None))
    except ConnectionError:
        raise UserError(
            "no Ray cluster runs on this machine: start one with `ray start --head`, name another as HOST:6379, "
            "or leave the address out"
        ) from None
    check_address(found, VARIABLE if os.environ.get(VARIABLE) else "the address found")
    return found
