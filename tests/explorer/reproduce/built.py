"""The panels of a registered figure, computed once for all tests of a process."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from explorer.reproduce import Panel, reproduction

__all__ = ["built", "traces"]


@cache
def built(name: str) -> Sequence[Panel]:
    """The panels of the figure of that name."""
    return reproduction(name).build()


def traces(name: str, panel: int = 0, kind: str = "scatter") -> dict[str, Any]:
    """The named traces of one kind in one panel, by name."""
    return {t.name: t for t in built(name)[panel].figure.data if t.type == kind and t.name}
