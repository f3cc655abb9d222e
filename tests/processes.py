"""Processes of this machine, as /proc tells of them."""

from __future__ import annotations

from pathlib import Path

__all__ = ["alive", "command_of", "descendants", "named"]


def command_of(pid: int) -> str:
    """The command line of a process, empty if it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def _stat(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def alive(pid: int) -> bool:
    """Whether a process is there, and not only waiting to be buried."""
    stat = _stat(pid)
    return bool(stat) and stat[0] != "Z"


def _pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]


def descendants(root: int) -> list[int]:
    """All processes that a process started, and those that these did."""
    parents = {pid: int(stat[1]) for pid in _pids() if (stat := _stat(pid))}
    found, fresh = set[int](), {root}
    while fresh:
        fresh = {pid for pid, parent in parents.items() if parent in fresh} - found
        found |= fresh
    return sorted(found)


def named(words: str, among: list[int] | None = None) -> list[int]:
    """Processes, all or of these, with such words in their command lines."""
    return [pid for pid in (_pids() if among is None else among) if words in command_of(pid) and alive(pid)]
