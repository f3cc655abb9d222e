"""The store of ``stored_trials`` again, for who writes to it or looks at what was written."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.explorer.refining.stored_trials import stored

__all__ = ["copied", "held"]


def copied(folder: Path) -> str:
    """Address of a store of one's own in ``folder``, with the same trials and files of its own."""
    home = Path(stored().removeprefix("sqlite:///")).parent
    shutil.copytree(home / "artifacts", folder / "artifacts")
    moved = (str(home / "artifacts"), str(folder / "artifacts"))
    databases = (sqlite3.connect(place / "mlflow.db") for place in (home, folder))
    with closing(next(databases)) as there, closing(next(databases)) as here:
        there.backup(here)
        here.execute("UPDATE runs SET artifact_uri = replace(artifact_uri, ?, ?)", moved)
        here.execute("UPDATE experiments SET artifact_location = replace(artifact_location, ?, ?)", moved)
        here.commit()
    return f"sqlite:///{folder / 'mlflow.db'}"


def held(uri: str) -> tuple[list[str], dict[str, bytes]]:
    """All that a store of ``copied`` holds: its rows, and its files by their names."""
    place = Path(uri.removeprefix("sqlite:///"))
    with closing(sqlite3.connect(place)) as store:
        rows = list(store.iterdump())
    artifacts = place.parent / "artifacts"
    files = [file for file in sorted(artifacts.rglob("*")) if file.is_file()]
    return rows, {str(file.relative_to(artifacts)): file.read_bytes() for file in files}
