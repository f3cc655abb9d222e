"""The images of a folder, or of its subfolders, one per class; a share of them is held out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from trainables.image_paths import check_folder, image_paths
from trainables.sources.image_files import FilePart, ImageFiles
from trainables.sources.split import split

__all__ = ["read_folder"]


def read_folder(
    folder: Path, names: Sequence[str], size: int, grey: bool, held_out: float
) -> tuple[FilePart, FilePart]:
    """What is trained on, and what is held out; labels are positions in ``names``, None if there are no names.

    Images of a class may lie in folders within its own. Other files are passed over.
    """
    check_folder(folder, names)
    places = [folder / name for name in names] or [folder]
    groups = [list(image_paths(place, deep=bool(names))) for place in places]
    files = ImageFiles([path for found in groups for path in found], size, grey)
    labels = torch.tensor([label for label, found in enumerate(groups) for _ in found]) if names else None
    try:
        parts = split(len(files), held_out)
    except ValueError as error:
        raise ValueError(f"{folder}: {error}") from None
    seen, unseen = (FilePart(files.chosen(part), None if labels is None else labels[part]) for part in parts)
    return seen, unseen
