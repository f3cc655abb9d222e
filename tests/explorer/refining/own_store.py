"""A copy of the store whose trials are refined, for tests that change it or look at what was written."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from explorer.store.addresses import sqlite_file

__all__ = ["copied", "held"]

PLACES = {"runs": "artifact_uri", "experiments": "artifact_location"}


def copied(uri: str, folder: Path) -> str:
    """Address of a copy in ``folder/home``, with its artifacts and checkpoints; sweep files lie in ``folder``."""
    file = sqlite_file(uri)
    assert file is not None
    before, home = file.parent, folder / "home"
    shutil.copytree(before, home, ignore=shutil.ignore_patterns(f"{file.name}*", "locks", "logs", "spool"))
    for path in before.parent.glob("*.yaml"):
        shutil.copy(path, folder)
    with closing(sqlite3.connect(file)) as source, closing(sqlite3.connect(home / file.name)) as target:
        source.backup(target)
        for table, column in PLACES.items():
            target.execute(f"UPDATE {table} SET {column} = replace({column}, ?, ?)", (str(before), str(home)))
        target.commit()
    return f"sqlite:///{home / file.name}"


def held(uri: str) -> tuple[list[str], dict[str, bytes]]:
    """All that a store holds: its rows, and its artifacts by their names."""
    file = sqlite_file(uri)
    assert file is not None
    with closing(sqlite3.connect(file)) as store:
        rows = list(store.iterdump())
    artifacts = file.parent / "artifacts"
    files = [one for one in sorted(artifacts.rglob("*")) if one.is_file()]
    return rows, {str(one.relative_to(artifacts)): one.read_bytes() for one in files}
