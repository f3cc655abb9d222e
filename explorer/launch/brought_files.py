"""The user's own modules beside a sweep file, as files that go with its runs, so that whoever repeats one has them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from explorer.store.schema import REPEAT_FOLDER
from explorer.sweep.plugins import Plugin

__all__ = ["brought_files"]

LARGEST = 1_000_000
"""Bytes of a module with all that is in it; a larger one is left to whoever repeats a run."""


def brought_files(plugins: Iterable[Plugin]) -> dict[str, bytes]:
    """Files of the modules by the names of artifacts: beside the sweep file in the folder that is fetched."""
    found: dict[str, bytes] = {}
    for plugin in plugins:
        if plugin.path is None:
            continue
        place = Path(plugin.path)
        files = [place] if place.is_file() else sorted(place.rglob("*.py"))
        if sum(file.stat().st_size for file in files) <= LARGEST:
            found |= {
                f"{REPEAT_FOLDER}/{file.relative_to(place.parent).as_posix()}": file.read_bytes()
                for file in files
            }
    return found
