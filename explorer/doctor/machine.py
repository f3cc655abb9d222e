"""Cores and memory that sweeps can have here, within the limits of this process's control group."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from explorer.doctor.finding import Finding, Subject, size_words
from explorer.memory import available

__all__ = ["check_machine"]

_GROUP = Path("/sys/fs/cgroup")
_LITTLE = 1.5e9
"""Bytes of memory: Ray, and one worker with torch."""


def check_machine(subject: Subject) -> Iterator[Finding]:
    """How much there is; too little memory for Ray and a worker is a note."""
    seen = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota, free = _quota(), available()
    cores = f"{seen} core{'s' * (seen != 1)}"
    if quota is not None and quota < seen:
        yield Finding(
            "cores", "note", f"{cores}, of which a limit leaves {quota:.3g}",
            "set resources.cpus, or lift the container's limit: Ray counts all cores that it sees",
        )  # fmt: skip
    else:
        yield Finding("cores", "ok", cores)
    if free < _LITTLE:
        yield Finding(
            "memory", "note", f"{size_words(free)} free; Ray and a worker with torch take {size_words(_LITTLE)}",
            "end other programs, or lift the container's limit",
        )  # fmt: skip
    else:
        yield Finding("memory", "ok", f"{size_words(free)} free")


def _quota() -> float | None:
    """Cores that the control group allows; None where it sets no limit."""
    try:
        most, period = (_GROUP / "cpu.max").read_text().split()
        return None if most == "max" else int(most) / int(period)
    except (OSError, ValueError):
        return None
