"""Fashion-MNIST from IDX files on disk: 70,000 grey images of clothes, 28×28, ten classes.

Xiao, Rasul & Vollgraf, *Fashion-MNIST: a Novel Image Dataset for Benchmarking Machine Learning Algorithms*, 2017.
"""

from __future__ import annotations

import gzip
import struct
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import Tensor

__all__ = ["CLASSES", "fashion_mnist", "read_idx"]

CLASSES = (
    "T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot"
)  # fmt: skip
FOLDER = Path("/usr/share/datasets/fashion-mnist")
_PREFIX = {"train": "train", "test": "t10k"}


def fashion_mnist(part: Literal["train", "test"], folder: str | Path = FOLDER) -> tuple[Tensor, Tensor]:
    """Images (N, 1, 28, 28) as bytes and labels (N,) of one part.

    ``folder`` holds the four IDX files, gzipped or plain; the Debian package ``dataset-fashion-mnist`` puts them into
    the default one. Nothing is downloaded.
    """
    prefix = _PREFIX[part]
    images = read_idx(_find(Path(folder), f"{prefix}-images-idx3-ubyte"))
    labels = read_idx(_find(Path(folder), f"{prefix}-labels-idx1-ubyte"))
    if images.ndim != 3 or labels.shape != (len(images),):
        raise ValueError(
            f"{folder} must hold as many labels as images, got shapes {tuple(labels.shape)} and {tuple(images.shape)}"
        )
    return images[:, None], labels.long()


def read_idx(path: Path) -> Tensor:
    """An IDX file of bytes: two zeros, type 8, number of axes, big-endian sizes, then the data in C order."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    if len(content) < 4 or content[:3] != b"\x00\x00\x08":
        raise ValueError(f"{path} must be an IDX file of bytes, but it starts with {content[:4]!r}")
    axes = content[3]
    sizes = struct.unpack(f">{axes}I", content[4 : 4 + 4 * axes])
    data = np.frombuffer(content, dtype=np.uint8, offset=4 + 4 * axes)
    if len(data) != np.prod(sizes):
        raise ValueError(
            f"{path} must hold {np.prod(sizes)} bytes of data for shape {sizes}, got {len(data)}"
        )
    return torch.from_numpy(data.reshape(sizes).copy())


def _find(folder: Path, name: str) -> Path:
    for path in (folder / f"{name}.gz", folder / name):
        if path.is_file():
            return path
    raise ValueError(
        f"Fashion-MNIST was not found: looked for {name}.gz in {folder}; install the Debian package "
        "dataset-fashion-mnist or give the folder that holds the IDX files"
    )
