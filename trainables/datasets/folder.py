"""A folder of the user's images."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from trainables.datasets.dataset import Dataset
from trainables.datasets.places import roots
from trainables.family import require
from trainables.image_paths import check_folder
from trainables.nearest import nearest
from trainables.paths import check_path

if TYPE_CHECKING:
    from trainables.sources.source import Source

__all__ = ["Folder"]

MOST_WORKERS = 256
LARGEST = 4096


@dataclass(frozen=True)
class Folder(Dataset):
    """Images of a folder, or of its subfolders, one per class: their middle squares, resized to ``size``.

    Attributes:
        root: the folder of the images.
        size: side of the samples.
        grey: whether images are made grey, one channel instead of three.
        only: subfolders to keep, by name, as classes 0, 1, … in that order; left open, all.
        held_out: share of the images that training does not see.
        held: where images are: ``memory``, read from their files as a ``stream``, or ``auto``, which goes by their
            size.
        workers: processes that read files ahead in a stream; left open, one less than there are cores, at most 8.
    """

    name: ClassVar[str] = "folder"
    placing: ClassVar[tuple[str, ...]] = ("held", "workers")
    root: str = ""
    size: int = 64
    grey: bool = False
    only: tuple[int | str, ...] | None = None
    held_out: float = 0.1
    held: Literal["auto", "memory", "stream"] = "auto"
    workers: int | None = None

    def check(self) -> None:
        """The folder is there, and so are the classes that are kept."""
        require(1 <= self.size <= LARGEST, f"dataset.size must be in 1 … {LARGEST}, got {self.size}; use 64")
        require(
            0.001 <= self.held_out <= 0.9,
            f"dataset.held_out must be in [0.001, 0.9], got {self.held_out}; use 0.1",
        )
        require(
            self.workers is None or 0 <= self.workers <= MOST_WORKERS,
            f"dataset.workers must be in 0 … {MOST_WORKERS}, got {self.workers}",
        )
        if self.only is not None:
            object.__setattr__(self, "only", tuple(map(str, self.only)))  # subfolders may be called 0, 1, …
            require(len(self.only) > 0, "dataset.only needs at least one subfolder, got an empty list")
            require(
                len(set(self.only)) == len(self.only),
                f"dataset.only must name each subfolder once, got {list(self.only)}",
            )
        if self.root:
            check_path("dataset.root", self.root)
            known = _subfolders(self.folder())
            for wanted in self.only or ():
                require(
                    wanted in known,
                    f"dataset.only must name subfolders of {self.root}, got {wanted!r}{nearest(wanted, known)}",
                )

    def check_use(self) -> None:
        """A root is given, and there are images in it, of every class."""
        _check_once(self.folder(), self.names())

    @property
    def shape(self) -> tuple[int, ...]:
        """Images, grey or in colour."""
        return (1 if self.grey else 3, self.size, self.size)

    @property
    def classes(self) -> int | None:
        """As many as subfolders that are kept; None if the images lie in the folder itself."""
        return len(self.names()) or None if self.root else None

    def names(self) -> tuple[str, ...]:
        """Subfolders that are kept, each a class; none if the images lie in the folder itself."""
        return _subfolders(self.folder()) if self.only is None else tuple(map(str, self.only))

    def folder(self) -> Path:
        """The root as it is written, or below the folders in which data is looked for."""
        require(
            self.root != "",
            "dataset folder needs the folder of its images; write {name: folder, root: path/to/images}",
        )
        written = Path(self.root).expanduser()
        places = (
            [written] if written.is_absolute() else [written, *(place / written for place in roots(None))]
        )
        found = next((place for place in places if place.is_dir()), None)
        if found is None:
            raise ValueError(
                f"dataset.root must be a folder of images, but there is none at {', '.join(map(str, places))}; "
                "write its whole path"
            )
        return found

    def source(self) -> Source:
        """A share held out by a shuffle that is always the same; in memory or read as training goes on."""
        from trainables.sources.held import source_of_files
        from trainables.sources.image_folder import read_folder

        names = self.names()
        seen, unseen = read_folder(self.folder(), names, self.size, self.grey, self.held_out)
        return source_of_files(seen, unseen, names or None, self.held, self.workers)


@lru_cache(maxsize=64)
def _check_once(folder: Path, names: tuple[str, ...]) -> None:
    """A folder that was right is not looked through again for every trial."""
    check_folder(folder, names)


def _subfolders(folder: Path) -> tuple[str, ...]:
    return _listed(folder, folder.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _listed(folder: Path, changed: int) -> tuple[str, ...]:
    """Names of subfolders in order; listed again when the folder has ``changed``."""
    with os.scandir(folder) as entries:
        return tuple(sorted(e.name for e in entries if e.is_dir() and not e.name.startswith(".")))
