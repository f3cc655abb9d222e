"""Texts that a sweep keeps beside its checkpoints: what its search asked, what was decided at its rungs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from explorer.errors import UserError, brief, root_cause
from trainables.training.state_files import Document

__all__ = ["KeptText"]


@dataclass(frozen=True)
class KeptText:
    """One document; where it cannot be kept is the user's to mend."""

    document: Document

    def load(self) -> str | None:
        """What is there; bytes that are no text are an empty one, since a damaged document is told from a lost one."""
        with self._reached():
            try:
                return self.document.load()
            except UnicodeDecodeError:
                return ""

    def save(self, text: str) -> None:
        """Whole or not at all."""
        with self._reached():
            self.document.save(text)

    def set_aside(self) -> str:
        """Under the first free name of its kind, which is returned."""
        with self._reached():
            return self.document.set_aside()

    @contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise UserError(
                f"what the search asks cannot be kept in '{brief(self.document.place, 100)}' "
                f"({root_cause(error, 50)}); make room or move that file away, and run the same command again: "
                "what is finished is not trained again"
            ) from error
