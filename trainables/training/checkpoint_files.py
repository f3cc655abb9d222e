"""Where checkpoints lie: ``FOLDER/TRIAL/ITERATION.pt``. Names only, so that a plan is made without torch."""

from __future__ import annotations

from pathlib import Path

__all__ = ["checkpoint_file", "iterations_of", "set_aside"]


def checkpoint_file(folder: Path, trial: str, iteration: int) -> Path:
    """The file of a trial at an iteration."""
    return folder / trial / f"{iteration}.pt"


def iterations_of(folder: Path, trial: str) -> list[int]:
    """Iterations at which a trial has a checkpoint, ascending."""
    return sorted(int(path.stem) for path in (folder / trial).glob("*.pt") if path.stem.isdecimal())


def set_aside(file: Path) -> Path:
    """Rename a file that is no use as a checkpoint, so that nothing looks for one there; nothing is ever lost."""
    for number in range(1, 1000):
        aside = file.with_name(f"{file.name}.aside-{number}")
        if not aside.exists():
            file.rename(aside)
            return aside
    raise FileExistsError(f"{file} was set aside a thousand times; look into {file.parent}")
