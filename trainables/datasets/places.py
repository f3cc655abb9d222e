"""Where data is looked for: the dataset's own root, ``$TRADEOFF_DATA``, the data folder, the system's packages."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from trainables.paths import check_path

__all__ = ["Layout", "roots"]


def roots(root: str | None) -> list[Path]:
    """Folders that may hold datasets, in the order in which they are looked through; they need not be there."""
    home = os.environ.get("TRADEOFF_HOME") or "~/.tradeoff"
    named = {
        "dataset.root": root,
        "TRADEOFF_DATA": os.environ.get("TRADEOFF_DATA"),
        "TRADEOFF_HOME": f"{home}/datasets",
    }
    for name, path in named.items():
        if path:
            check_path(name, path)
    return [Path(path).expanduser() for path in named.values() if path]


@dataclass(frozen=True)
class Layout:
    """How the files of a dataset lie in a folder.

    Attributes:
        title: what the dataset is called.
        files: that must be there, each plain or gzipped.
        folders: in which they lie below a root, as torchvision puts them first.
        own: in which they may lie below a root that was given for this dataset alone.
        system: folders of the system's packages.
        kind: torchvision's class that downloads it.
        advice: what to do where it cannot be downloaded, beside what can be done for all.
    """

    title: str
    files: tuple[str, ...]
    folders: tuple[str, ...]
    kind: str
    own: tuple[str, ...] = (".",)
    system: tuple[Path, ...] = ()
    advice: str = ""

    def places(self, root: str | None) -> list[Path]:
        """Every folder in which the files are looked for, in order."""
        found = [Path(root).expanduser() / folder for folder in self.own] if root else []
        below = [place / folder for place in roots(root) for folder in self.folders]
        return [*dict.fromkeys([*found, *below, *self.system])]

    def find(self, root: str | None) -> Path | None:
        """The first folder that holds all files."""
        return next((place for place in self.places(root) if not self.missing(place)), None)

    def missing(self, place: Path) -> list[str]:
        """Files that a folder lacks."""
        return [file for file in self.files if not any(_there(place / name) for name in (file, f"{file}.gz"))]

    def sought(self, root: str | None) -> str:
        """What was looked for and where, as a part of a sentence; a folder that holds some of it is named."""
        places = self.places(root)
        lacking = [(place, self.missing(place)) for place in places]
        some = [
            f"; {place} lacks {', '.join(lacks)}"
            for place, lacks in lacking
            if 0 < len(lacks) < len(self.files)
        ]
        return f"looked for {', '.join(self.files)} in {', '.join(map(str, places))}{''.join(some)}"


def _there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a folder that may not be entered
        return False
