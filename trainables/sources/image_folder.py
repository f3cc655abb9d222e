"""The images of a folder, or of its subfolders, one per class; a share of them is held out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import torch

from trainables.datasets.folder import check_images, is_image
from trainables.sources.image_files import FilePart, ImageFiles
from trainables.sources.split import split

__all__ = ["read_folder"]


def read_folder(
    folder: Path, names: Sequence[str], size: int, grey: bool, held_out: float
) -> tuple[FilePart, FilePart]:
    """What is trained on, and what is held out; labels are positions in ``names``, None if there are no names.

    Images of a class may lie in folders within its own. Other files are passed over.
    """
    top = _images(folder, deep=False)
    if names and top:
        raise ValueError(
            f"{folder} must hold images or subfolders of them, but has both, {top[0]} among them; move the images into "
            "a subfolder"
        )
    groups = [_images(folder / name, deep=True) for name in names] if names else [top]
    for name, found in zip(names or [""], groups, strict=True):
        check_images(folder / name, bool(found))
    files = ImageFiles([path for found in groups for path in found], size, grey)
    labels = torch.tensor([label for label, found in enumerate(groups) for _ in found]) if names else None
    try:
        parts = split(len(files), held_out)
    except ValueError as error:
        raise ValueError(f"{folder}: {error}") from None
    seen, unseen = (FilePart(files.chosen(part), None if labels is None else labels[part]) for part in parts)
    return seen, unseen


def _images(folder: Path, deep: bool) -> list[str]:
    """Paths of image files in order, hidden ones left out."""
    found = []
    for place, subfolders, files in os.walk(folder):
        subfolders[:] = sorted(name for name in subfolders if deep and not name.startswith("."))
        found += [f"{place}/{name}" for name in sorted(files) if is_image(name)]
    return found
