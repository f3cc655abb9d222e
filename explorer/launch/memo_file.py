"""A memo in a file of its own, written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from explorer.errors import UserError, brief, root_cause

__all__ = ["FileMemo"]


@dataclass(frozen=True)
class FileMemo:
    """The document of one search, at a path."""

    file: Path

    def load(self) -> str | None:
        """What is there; bytes that are no text are shown as such, since a damaged document is told from a lost one."""
        with self._reached():
            return self.file.read_bytes().decode(errors="replace") if self.file.exists() else None

    def save(self, text: str) -> None:
        """Beside its place first, then moved there."""
        partial = self.file.with_name(f".{self.file.name}.partial")
        with self._reached():
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with partial.open("w", encoding="utf-8") as opened:
                opened.write(text)
                opened.flush()
                os.fsync(opened.fileno())
            partial.replace(self.file)

    def set_aside(self) -> str:
        """Under the first free name of its kind."""
        with self._reached():
            number = 1
            while (place := self.file.with_name(f"{self.file.name}.aside-{number}")).exists():
                number += 1
            self.file.replace(place)
        return str(place)

    @contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise UserError(
                f"what the search asks cannot be kept in '{brief(str(self.file), 100)}' "
                f"({root_cause(error, 50)}); make room or move that file away, and run the same command again: "
                "what is finished is not trained again"
            ) from error
