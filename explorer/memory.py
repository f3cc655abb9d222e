"""The memory of this machine."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["available"]


def available() -> int:
    """Bytes that can be had without swapping, within the limit of this process's control group if it has one."""
    free = _free()
    group = Path("/sys/fs/cgroup")
    try:
        limit = (group / "memory.max").read_text().strip()
        used = int((group / "memory.current").read_text())
        cache = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
        if limit != "max":
            free = min(free, int(limit) - used + int(cache.get("inactive_file", 0)))
    except (OSError, ValueError):
        pass
    return max(free, 0)


def _free() -> int:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, StopIteration):
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")  # where only the whole is told
