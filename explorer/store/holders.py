"""Who drives a sweep, as the tag of its run tells it, and whether that process still lives."""

from __future__ import annotations

import json
import os
import secrets
import socket
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from explorer.store.foreign import clean, load_json

__all__ = ["Holder", "is_alive"]

_TABLE = Path("/proc")
"""Where Linux tells of its processes."""


@dataclass(frozen=True)
class Holder:
    """A driver that holds a sweep.

    Attributes:
        id: random, so that two launches of one process are told apart.
        host: name of its machine, for people.
        machine: the process table that ``process`` is a row of. Containers on one machine share its name and its time,
            but not their processes.
        process: its number there.
        born: when the process began, in that table's own words; numbers are given again.
        beat: how often it was renewed.
    """

    id: str
    host: str
    machine: str
    process: int
    born: str
    beat: int = 0

    @staticmethod
    def here() -> Holder:
        """A new holder: this process."""
        return Holder(secrets.token_hex(8), socket.gethostname(), _machine(), os.getpid(), _born(os.getpid()))

    def text(self) -> str:
        """For a tag."""
        return json.dumps(vars(self), separators=(",", ":"))

    @staticmethod
    def parse(text: str | None) -> Holder | None:
        """What ``text`` wrote; None from anything else."""
        raw = load_json(text)
        try:
            words = {name: clean(str(raw[name]))[:100] for name in ("id", "host", "machine", "born")}
            return Holder(**words, process=int(raw["process"]), beat=int(raw["beat"]))
        except (ValueError, TypeError, KeyError, OverflowError):
            return None

    def words(self) -> str:
        """For people: where it runs."""
        return f"on {self.host} (process {self.process})"

    @property
    def is_near(self) -> bool:
        """Whether it is a process of this machine, of which we can see whether it lives."""
        return self.machine == _machine()

    @property
    def is_dead(self) -> bool:
        """Whether it is known to be over; of another machine's process nothing is known."""
        return self.is_near and not is_alive(self.process, self.born)


@cache
def _machine() -> str:
    """The process table of this process: its boot, and on Linux its namespace."""
    try:
        boot = (_TABLE / "sys/kernel/random/boot_id").read_text().strip()
        space = (_TABLE / "self/ns/pid").readlink()
    except OSError:
        return socket.gethostname()
    return f"{boot} {space}"


def _born(process: int) -> str:
    """When a process began, in ticks since the boot; empty where nobody tells."""
    try:
        # The second field is the program's name in parentheses, which may hold blanks and parentheses itself.
        return (_TABLE / str(process) / "stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def is_alive(process: int, born: str = "") -> bool:
    """Whether the process of this machine that began then is there; one that ended and nobody waited for is not."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass  # another user's
    try:
        state = (_TABLE / str(process) / "stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        state = ""
    return state not in ("Z", "X") and (not born or _born(process) in ("", born))
