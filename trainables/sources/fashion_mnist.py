"""Fashion-MNIST from IDX files on disk: 70,000 grey images of clothes, 28×28, ten classes.

Xiao, Rasul & Vollgraf, *Fashion-MNIST: a Novel Image Dataset for Benchmarking Machine Learning Algorithms*, 2017.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from torch import Tensor

from trainables.datasets.fashion_mnist import LAYOUT, PACKAGE
from trainables.sources.download import obtained
from trainables.sources.idx import read_part

__all__ = ["FOLDER", "fashion_mnist"]

FOLDER = PACKAGE


def fashion_mnist(part: Literal["train", "test"], folder: str | Path | None = None) -> tuple[Tensor, Tensor]:
    """Images (N, 1, 28, 28) as bytes and labels (N,) of one part.

    ``folder`` holds the four IDX files, gzipped or plain; left open they are looked for, and downloaded where need be.
    """
    place = obtained(LAYOUT, None) if folder is None else Path(folder)
    missing = LAYOUT.missing(place)
    if missing:
        raise ValueError(
            f"Fashion-MNIST was not found: looked for {', '.join(missing)} in {place}; install the Debian package "
            "dataset-fashion-mnist or give the folder that holds the IDX files"
        )
    images, labels = read_part(place, part)
    assert labels is not None
    return images, labels
