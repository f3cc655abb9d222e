"""Pages on disk; a place that takes none is told."""

from __future__ import annotations

from pathlib import Path

from explorer.errors import UserError

__all__ = ["write_html"]


def write_html(path: Path, html: str, what: str = "page") -> None:
    """Write a document, ``what`` in the sentence if it cannot be; what no encoding has is replaced."""
    try:
        path.write_text(html, encoding="utf-8", errors="replace")
    except OSError as error:
        raise UserError(f"the {what} must go to a writable file, got '{path}': {error.strerror}") from error
