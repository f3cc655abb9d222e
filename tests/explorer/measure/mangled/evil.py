"""An object whose unpickling leaves a trace."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["EXECUTED", "Evil"]

EXECUTED = "executed"


class Evil:
    """Makes the folder ``executed`` beside its file when it is unpickled."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self._folder / EXECUTED),)
