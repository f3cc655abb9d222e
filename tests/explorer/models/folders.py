"""Folders of models on disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

__all__ = ["written"]


def written(files: Mapping[str, bytes], folder: Path) -> Path:
    """Files by name, in a folder."""
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return folder
