"""A real MLflow server, and a link to it that can fail in the ways links fail."""

import http.client
import os
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.stores import empty_store


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="package")
def server(tmp_path_factory):
    """Port of ``mlflow server`` on SQLite that keeps artifacts itself."""
    folder = tmp_path_factory.mktemp("server")
    port = free_port()
    command = [sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--workers", "1", "--backend-store-uri", empty_store(folder)]
    command += ["--artifacts-destination", str(folder / "kept")]
    env = {**os.environ, "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "MLFLOW_DISABLE_TELEMETRY": "true"}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=env, stdout=log, stderr=log, start_new_session=True
        )
        try:
            wait_for(port, process, folder / "log")
            yield port
        finally:
            os.killpg(process.pid, 15)
            process.wait(timeout=30)


def wait_for(port, process, log):
    for _ in range(600):
        assert process.poll() is None, log.read_text()
        try:
            link = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            link.request("GET", "/health")
            if link.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(log.read_text())


class Link:
    """A proxy to the server.

    ``lose``: paths whose next answer is lost after the server did the work; ``refuse``: paths that are forbidden.
    """

    def __init__(self, server_port):
        self.lose: list[str] = []
        self.refuse: list[str] = []
        self.requests: list[str] = []
        link = self

        class Handler(BaseHTTPRequestHandler):
            # A connection per request, so that a link that is down is down for clients that were connected.
            protocol_version = "HTTP/1.0"

            def forward(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if any(path in self.path for path in link.refuse):
                    self.send_error(403)
                    return
                upstream = http.client.HTTPConnection("127.0.0.1", server_port, timeout=30)
                headers = {k: v for k, v in self.headers.items() if k.lower() != "host"}
                upstream.request(self.command, self.path, body, headers)
                answer = upstream.getresponse()
                content = answer.read()
                link.requests.append(self.path)
                lost = next((path for path in link.lose if path in self.path), None)
                if lost is not None:
                    link.lose.remove(lost)
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                self.send_response(answer.status)
                for key in ("Content-Type", "Content-Disposition"):
                    if answer.headers[key]:
                        self.send_header(key, answer.headers[key])
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = forward

            def log_message(self, *_):
                pass

        self.handler = Handler
        self.port = free_port()
        self.uri = f"http://127.0.0.1:{self.port}"
        self.http = None

    def up(self):
        self.http = ThreadingHTTPServer(("127.0.0.1", self.port), self.handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def down(self):
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def link(server):
    link = Link(server)
    link.up()
    yield link
    link.down()
