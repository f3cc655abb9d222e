"""Where the images of a folder lie, told without torch and without opening one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

__all__ = ["check_folder", "image_paths"]

SUFFIXES = (".bmp", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp")


def image_paths(folder: Path, deep: bool) -> Iterator[str]:
    """Image files of a folder, with ``deep`` of all below it, in order; hidden files and folders are left out."""
    for place, subfolders, files in os.walk(folder):
        subfolders[:] = sorted(name for name in subfolders if deep and not name.startswith("."))
        for name in sorted(files):
            if name.lower().endswith(SUFFIXES) and not name.startswith("."):
                yield f"{place}/{name}"


def check_folder(folder: Path, names: Sequence[str]) -> None:
    """Refuse a folder without images, a class of ``names`` without any, and images beside classes.

    Classes are subfolders; without names images lie in the folder itself. Of each only as much is listed as it takes to
    find one image.
    """
    stray = next(image_paths(folder, deep=False), None)
    if names and stray:
        raise ValueError(
            f"{folder} must hold images or subfolders of them, but has both, {stray} among them; move the images into "
            "a subfolder"
        )
    for name in names or [""]:
        if next(image_paths(folder / name, deep=bool(names)), None) is None:
            raise ValueError(
                f"{folder / name} must hold images ({', '.join(SUFFIXES)}), but it has none; add some or choose others"
            )
