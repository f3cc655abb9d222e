"""Whether a server answers at all: asked for seconds, before MLflow asks for a minute."""

from __future__ import annotations

import http.client
import socket
import ssl
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from explorer.errors import root_cause
from explorer.store.addresses import shown_address
from explorer.store.connection import TrackingUnavailable

__all__ = ["PROMPT_S", "refuse_silent"]

PROMPT_S = 3.5
"""How long a reader who looks at a page waits for a word."""

CONNECT_S = 1.5
ANSWER_S = 2.0
_PORTS = {"http": 80, "https": 443, "postgresql": 5432, "mysql": 3306, "mssql": 1433}


def refuse_silent(uri: str, seconds: float = PROMPT_S) -> None:
    """Raise ``TrackingUnavailable`` if the server of an address does not answer; files and sockets always do.

    An answer of any kind is one: what it is worth, MLflow tells. Names that are not resolved, connections that are not
    taken and servers that take them and say nothing are all told within ``seconds``.
    """
    scheme = urlsplit(uri).scheme.split("+")[0]
    host, port = urlsplit(uri).hostname, urlsplit(uri).port or _PORTS.get(scheme)
    if host is None or port is None:
        return
    ask = partial(_http, uri, host, port) if scheme in ("http", "https") else partial(_taken, host, port)
    told: SimpleQueue[Exception | None] = SimpleQueue()
    # In a thread of its own: looking a name up has no limit that could be set.
    Thread(target=_tell, args=(ask, told), daemon=True).start()
    try:
        fault = told.get(timeout=seconds)
    except Empty:
        fault = TimeoutError(f"no answer in {seconds:g} s")
    if fault is not None:
        raise TrackingUnavailable(
            f"tracking store '{shown_address(uri)}' does not answer ({root_cause(fault)}); bring it back, or name "
            "another"
        ) from fault


def _tell(ask: partial[None], told: SimpleQueue[Exception | None]) -> None:
    try:
        ask()
    except ssl.SSLError:
        told.put(None)  # someone is there; whom to trust is MLflow's to say
    except (OSError, http.client.HTTPException) as error:
        told.put(error)
    else:
        told.put(None)


def _taken(host: str, port: int) -> None:
    socket.create_connection((host, port), CONNECT_S).close()


def _http(uri: str, host: str, port: int) -> None:
    """Ask for ``/health``, which MLflow's server has; behind a proxy nothing is asked, since it answers for others."""
    parts = urlsplit(uri)
    if parts.scheme in getproxies() and not proxy_bypass(host):
        return
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    link = kind(host, port, timeout=CONNECT_S)
    try:
        link.connect()
        link.sock.settimeout(ANSWER_S)
        link.request("GET", f"{parts.path.rstrip('/')}/health")
        link.getresponse()
    finally:
        link.close()
