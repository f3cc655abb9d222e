"""Where a sweep keeps things: its runs, its checkpoints, its study."""

from __future__ import annotations

import os
from pathlib import Path

from explorer.errors import UserError
from explorer.folders import data_folder, default_tracking_uri
from explorer.search import Study
from explorer.sweep.sweep import Sweep
from trainables.config import fingerprint
from trainables.training.checkpoint_files import iterations_of

__all__ = [
    "checkpoint_folder",
    "made_checkpoint_folder",
    "newest_checkpoint",
    "ray_log",
    "study_of",
    "tracking_uri",
]


def tracking_uri(sweep: Sweep) -> str:
    """The sweep's own store, else the default one."""
    return sweep.tracking.uri or default_tracking_uri()


def checkpoint_folder(sweep: Sweep) -> Path:
    """Where the trials of all sweeps keep their states."""
    storage = sweep.resources.storage
    return Path(storage).expanduser().resolve() if storage else data_folder() / "checkpoints"


def made_checkpoint_folder(sweep: Sweep) -> Path:
    """The same folder, which is there now and can be written."""
    folder = checkpoint_folder(sweep)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(f"'{folder}' is read-only")
    except OSError as error:
        why = error.strerror or error
        raise UserError(
            f"checkpoints cannot be kept in '{folder}' ({why}); set resources.storage to another folder"
        ) from error
    return folder


def ray_log(sweep: Sweep) -> Path:
    """Where what Ray says of itself goes while the sweep runs."""
    folder = data_folder() / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{sweep.name}.ray.log"


def newest_checkpoint(folder: Path, trial: str) -> int:
    """Iteration of a trial's newest checkpoint, 0 if none; reads names only."""
    return max(iterations_of(folder, trial), default=0)


def study_of(sweep: Sweep) -> Study:
    """What the sweep's search has learned. A study belongs to one question: other data, seeds or goals are another."""
    search = sweep.search
    asked = [
        search.plain().get("seed"),
        sweep.document["space"], dict(sweep.sections), sweep.seeds, search.name, dict(search.objectives)
    ]  # fmt: skip
    if sweep.start is not None:
        asked.append([sweep.document["start"], sweep.document["base"]])
    return Study(data_folder() / "studies.db", name=f"{sweep.name}-{fingerprint(asked, 8)}")
