"""One file among the artifacts of a run that is over."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from explorer.store.connection import Connection

__all__ = ["write_artifact"]


def write_artifact(uri: str, run: str, name: str, content: bytes) -> None:
    """Store a file under a plain name, in the place of one of that name."""
    store = Connection(uri)
    place = store.artifacts(store.run(run).artifact_uri)
    with TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_bytes(content)
        store.call(lambda: place.log_artifact(str(file)))  # type: ignore[no-untyped-call]
