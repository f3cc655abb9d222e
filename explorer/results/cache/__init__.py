"""Sweeps as they were last read, kept on this machine's disk in columns, so that only changes are read again."""

from explorer.results.cache.memory import Memory

__all__ = ["Memory"]
