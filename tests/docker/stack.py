"""The services of docker/compose.yaml as a container engine reads them, and as processes of this machine."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

DOCKER = Path(__file__).parents[2] / "docker"
VARIABLE = re.compile(r"\$\{(\w+)(?::([-?+])([^{}]*))?\}")
PORT = re.compile(r"(?<=[:=])(\d{4,5})\b")


def substituted(text: str, variables: Mapping[str, str]) -> str:
    """``${NAME}``, ``${NAME:-default}``, ``${NAME:?needed}`` and ``${NAME:+given}`` as compose fills them in."""

    def value(found: re.Match[str]) -> str:
        name, kind, word = found.groups()
        have = variables.get(name, "")
        if kind == "+":
            return word if have else ""
        if kind == "?" and not have:
            raise KeyError(f"{name}: {word}")
        return have or (word if kind == "-" else "")

    return VARIABLE.sub(value, text)


def compose(variables: Mapping[str, str], file: str = "compose.yaml") -> dict[str, Any]:
    """The compose file with its variables filled in and its anchors merged."""
    document: dict[str, Any] = yaml.safe_load(substituted((DOCKER / file).read_text(), variables))
    return document


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


@dataclass
class Stack:
    """Services as processes: hosts are this machine, ports are free ones, folders of containers lie in ``folder``."""

    folder: Path
    variables: Mapping[str, str]
    ports: dict[str, str] = field(default_factory=dict)
    running: list[tuple[str, subprocess.Popen[bytes]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.services = compose(self.variables)["services"]

    def port(self, container: str) -> str:
        return self.ports.setdefault(container, free_port())

    def local(self, text: str, own: Mapping[str, str] | None = None) -> str:
        """A word of a command or environment, as it reads on this machine; ``own`` are ports of one process alone."""
        hosts = "|".join(map(re.escape, self.services))
        text = re.sub(rf"\b({hosts})(?=:\d{{4,5}}\b)", "127.0.0.1", text).replace("0.0.0.0", "127.0.0.1")
        text = PORT.sub(lambda found: (own or {}).get(found[1]) or self.port(found[1]), text)
        for there, here in self.places.items():
            text = re.sub(rf"^{there}\b", str(here), text)
        return text

    @property
    def places(self) -> dict[str, Path]:
        return {
            "/data": self.folder / "data",
            "/run/secrets/ray_token": self.folder / "ray-token",
            "/etc/tradeoff/buckets.py": DOCKER / "buckets.py",
        }

    def command(self, service: str, own: Mapping[str, str] | None = None) -> list[str]:
        """Entry point and command; those of services without one are in the image."""
        told = self.services[service]
        words = [*told.get("entrypoint", ["tradeoff"]), *told["command"]]
        return [self.local(word, own) for word in words]

    def environment(self, service: str, home: str) -> dict[str, str]:
        """That of the service, and of this machine what a process needs to run at all."""
        (self.folder / home).mkdir(exist_ok=True)
        ours = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(self.folder / home),
            "RAY_TMPDIR": str(self.folder / "ray"),
            "OMP_NUM_THREADS": "1",
            **({"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}),
        }
        told = self.services[service].get("environment", {})
        return ours | {name: self.local(str(value)) for name, value in told.items()}

    def start(self, service: str, home: str = "", own: Mapping[str, str] | None = None) -> None:
        """Start a service; what it says goes to a file of its name."""
        home = home or service
        environment = self.environment(service, home)
        command = self.command(service, own)
        if (
            command[0] == "ray"
        ):  # a container has a /tmp of its own; nodes that share one take each other's files
            command.append(f"--temp-dir={self.folder / 'ray' / home}")
        self.run(command, environment, home)

    def run(self, command: list[str], environment: Mapping[str, str], name: str, **more: Any) -> None:
        with (self.folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                command, env=environment, stdout=log, stderr=log, start_new_session=True, **more
            )
        self.running.append((name, process))

    def once(self, service: str) -> str:
        """Run a service that ends by itself, and give what it says."""
        done = subprocess.run(
            self.command(service), env=self.environment(service, service), text=True, capture_output=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def wait(self, service: str, own: Mapping[str, str] | None = None) -> None:
        """Until the service's own health check is content."""
        _, *words = (self.local(word, own) for word in self.services[service]["healthcheck"]["test"])
        for _ in range(600):
            for name, process in self.running:
                assert process.poll() is None, f"{name} has ended: {self.log(name)}"
            if _healthy(words):
                return
            time.sleep(0.2)
        raise AssertionError(f"{service} is not healthy: {self.log(service)}")

    def log(self, name: str) -> str:
        file = self.folder / f"{name}.log"
        return file.read_text(errors="replace")[-3000:] if file.exists() else "no log"

    def stop(self) -> None:
        """End everything that was started, and what that started."""
        for _, process in reversed(self.running):
            process.terminate()
        for _ in range(100):
            for _, process in self.running:
                process.poll()
            if not self.processes():
                return
            time.sleep(0.1)
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)

    def processes(self) -> list[int]:
        """Those that have our folder in their environment or command, whoever started them."""
        return processes_of(str(self.folder))


def processes_of(mark: str) -> list[int]:
    """Processes with these words in their environment or command."""
    found = []
    for place in Path("/proc").iterdir():
        try:
            if place.name.isdigit() and int(place.name) != os.getpid():
                said = (place / "environ").read_bytes() + (place / "cmdline").read_bytes()
                found += [int(place.name)] if mark.encode() in said else []
        except OSError:  # it has ended, or is another person's
            continue
    return found


def _healthy(words: list[str]) -> bool:
    if words[0] != "wget":
        environment = {**os.environ, "PGHOST": "127.0.0.1"}
        return subprocess.run(words, env=environment, capture_output=True).returncode == 0
    try:
        with urllib.request.urlopen(words[-1], timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
