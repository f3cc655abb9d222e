"""Words for people."""

from __future__ import annotations

__all__ = ["counted"]


def counted(count: int, noun: str) -> str:
    """``1 trial``, ``3 trials``, ``10,000 trials``."""
    return f"{count} {noun}" if count == 1 else f"{count:,} {noun}s"
