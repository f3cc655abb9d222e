"""The user's own modules beside a sweep file, as files that go with its runs, so that whoever repeats one has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from explorer.store.schema import REPEAT_FILE, SWEEP_FILE
from explorer.sweep.plugins import Plugin

__all__ = ["brought_files"]

LARGEST = 1_000_000
"""Bytes of a module with all that is in it; a larger one is left to whoever repeats a run."""
TAKEN = {"model", REPEAT_FILE, SWEEP_FILE}
"""Names that runs have for artifacts of their own and that a module could have too."""


def brought_files(plugins: Iterable[Plugin]) -> dict[str, Mapping[str, bytes]]:
    """Files of each module by name, under the name of what is fetched: ``mine.py``, or the folder ``mine``."""
    found: dict[str, Mapping[str, bytes]] = {}
    for plugin in plugins:
        if plugin.path is None:
            continue
        place = Path(plugin.path)
        files = [place] if place.is_file() else sorted(place.rglob("*.py"))
        if place.name not in TAKEN and sum(file.stat().st_size for file in files) <= LARGEST:
            found[place.name] = {
                file.relative_to(place.parent).as_posix(): file.read_bytes() for file in files
            }
    return found
