"""CelebA's lists: which images are trained on, which are held out, and what attributes faces have.

Liu, Luo, Wang & Tang, *Deep Learning Face Attributes in the Wild*, 2015.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import torch

from trainables.nearest import nearest
from trainables.sources.image_files import FilePart, ImageFiles

__all__ = ["read_celeba"]

CROP = 148
"""Side of the square cut from the middle of the aligned images, 178×218: the face without its surroundings."""

_TRAINING, _TEST = "0", "2"


def read_celeba(folder: Path, size: int, attribute: str | None) -> tuple[FilePart, FilePart]:
    """The official parts for training and for tests; labels are 1 where faces have the attribute, else 0."""
    listed = folder / "list_eval_partition.txt"
    parts = {name: rest[0] for name, *rest in _rows(listed, 2)}
    chosen = {code: [name for name, part in parts.items() if part == code] for code in (_TRAINING, _TEST)}
    if not all(chosen.values()):
        raise ValueError(f"{listed} must name images of the parts 0 and 2, but one has none; get it again")
    images = folder / "img_align_celeba"
    _check_there(images, [*chosen[_TRAINING], *chosen[_TEST]], listed)
    has = None if attribute is None else _having(folder / "list_attr_celeba.txt", attribute)
    found = []
    for names in chosen.values():
        files = ImageFiles([str(images / name) for name in names], size, crop=CROP)
        if has is not None and not has.keys() >= set(names):
            raise ValueError(
                f"{folder / 'list_attr_celeba.txt'} must have a line for every image of {listed.name}, but "
                f"{min(set(names) - has.keys())} has none; get it again"
            )
        found.append(FilePart(files, None if has is None else torch.tensor([has[name] for name in names])))
    return found[0], found[1]


def _having(path: Path, attribute: str) -> dict[str, int]:
    """1 or 0 by the image's name; the second line of the file has the names of the attributes."""
    head = _text(path).splitlines()[1:2]
    attributes = head[0].split() if head else []
    if attribute not in attributes:
        raise ValueError(
            f"dataset.attribute must be one of those in {path}, got '{attribute}'{nearest(attribute, attributes)}"
        )
    column = 1 + attributes.index(attribute)
    return {row[0]: int(row[column] == "1") for row in _rows(path, 1 + len(attributes), skip=2)}


def _rows(path: Path, width: int, skip: int = 0) -> list[list[str]]:
    """Words of every line, of which there must be as many in each."""
    lines = _text(path).splitlines()[skip:]
    rows = [words for line in lines if (words := line.split())]
    for number, row in enumerate(rows, start=1 + skip):
        if len(row) != width or not _is_name(row[0]):
            raise ValueError(
                f"{path} must have an image and {width - 1} numbers on every line, but not on line {number}; "
                "get it again"
            )
    return rows


def _is_name(word: str) -> bool:
    """A file's name, not a path that leads elsewhere."""
    return Path(word).name == word


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} must be a list of CelebA, but it cannot be read; get it again") from error


def _check_there(folder: Path, names: Iterable[str], listed: Path) -> None:
    there = set(os.listdir(folder)) if folder.is_dir() else set()  # noqa: PTH208 - a hundred thousand names
    missing = [name for name in names if name not in there]
    if missing:
        raise ValueError(
            f"{folder} must hold every image of {listed.name}, but {len(missing)} are missing, {missing[0]} first; "
            "unpack img_align_celeba.zip again"
        )
