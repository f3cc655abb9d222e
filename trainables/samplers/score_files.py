"""Scores beside the images of a folder: by name in ``scores.csv``, or in the order of names in ``scores.npy``."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from trainables.image_paths import image_paths

__all__ = ["read_scores"]

HEAD = ["name", "score"]
MOST_NAMED = 3
"""Names that a sentence tells."""


def read_scores(folder: Path) -> tuple[list[str], Tensor]:
    """Names of the images of a folder and their scores (N,), float64.

    In the order of the rows of ``scores.csv``, or of the names where there is ``scores.npy``.
    """
    images = [Path(path).name for path in image_paths(folder, deep=False)]
    if not images:
        raise ValueError(
            f"{folder} must hold images with their scores, but has none; give the folder they lie in"
        )
    table, array = folder / "scores.csv", folder / "scores.npy"
    if table.is_file() == array.is_file():
        got = "both" if table.is_file() else "neither"
        raise ValueError(
            f"{folder} must have the scores of its images in either scores.csv (name,score) or scores.npy, got {got}"
        )
    return _of_table(table, images) if table.is_file() else (images, _of_array(array, len(images)))


def _of_table(path: Path, images: list[str]) -> tuple[list[str], Tensor]:
    found: dict[str, float] = {}
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = csv.reader(file)
            if next(rows, None) != HEAD:
                raise ValueError(f"{path} must begin with the line {','.join(HEAD)}")
            for row in filter(None, rows):
                name, score = _row(row, f"{path}, line {rows.line_num},")
                if name in found:
                    raise ValueError(f"{path} must have every image once, got {name!r} twice")
                found[name] = score
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path} must be a table of names and scores in UTF-8, but {error}") from error
    _check_names(path, found.keys() - set(images), "names images that are not in the folder")
    _check_names(path, set(images) - found.keys(), "has no score of images that are in the folder")
    return list(found), torch.tensor(list(found.values()), dtype=torch.float64)


def _row(row: list[str], where: str) -> tuple[str, float]:
    try:
        name, score = row
        return name, float(score)
    except ValueError:
        raise ValueError(
            f"{where} must be the name of an image and a number, got {','.join(row)[:80]!r}"
        ) from None


def _check_names(path: Path, names: set[str], what: str) -> None:
    if names:
        told = ", ".join(sorted(names)[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")
        raise ValueError(
            f"{path} {what}, {len(names):,} of them: {told}; names are those of files, with their ending"
        )


def _of_array(path: Path, images: int) -> Tensor:
    try:
        found = np.load(path, allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(f"{path} must be an array of numpy, but it is damaged or none: {error}") from error
    if not isinstance(found, np.ndarray) or found.dtype.kind not in "biuf" or found.shape != (images,):
        kind = f"{found.dtype} of shape {found.shape}" if isinstance(found, np.ndarray) else "several arrays"
        raise ValueError(
            f"{path} must be one number for each of {images:,} images, in the order of their names, got {kind}"
        )
    return torch.from_numpy(found.astype(np.float64))
