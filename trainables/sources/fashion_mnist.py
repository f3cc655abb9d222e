"""Fashion-MNIST from IDX files on disk: 70,000 grey images of clothes, 28×28, ten classes.

Xiao, Rasul & Vollgraf, *Fashion-MNIST: a Novel Image Dataset for Benchmarking Machine Learning Algorithms*, 2017.
"""

from __future__ import annotations

import gzip
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import torch
from torch import Tensor

__all__ = ["CLASSES", "fashion_mnist", "read_idx"]

CLASSES = (
    "T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot"
)  # fmt: skip
FOLDER = Path("/usr/share/datasets/fashion-mnist")
_LARGEST = 1 << 28  # bytes of an unpacked file; those of Fashion-MNIST have 47 million at most
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
    """An IDX file of bytes, gzipped or plain, as torchvision reads it; a damaged one is refused."""
    from torchvision.datasets.mnist import read_sn3_pascalvincent_tensor

    try:
        with _unpacked(path) as plain:
            found: Tensor = read_sn3_pascalvincent_tensor(str(plain))
    # torchvision asserts what a file has to be, and trips over what is not there.
    except (
        AssertionError,
        EOFError,
        KeyError,
        RuntimeError,
        ValueError,
        zlib.error,
        gzip.BadGzipFile,
    ) as error:
        raise ValueError(
            f"{path} must be an IDX file as long as its sizes say, but it is damaged or none; get it again"
        ) from error
    if found.dtype != torch.uint8:
        raise ValueError(f"{path} must be an IDX file of bytes, got {found.dtype}")
    return found


@contextmanager
def _unpacked(path: Path) -> Iterator[Path]:
    """The file itself, or what a gzipped one holds, for as long as it is read: torchvision reads plain files only."""
    if path.suffix != ".gz":
        yield path
        return
    with tempfile.NamedTemporaryFile() as plain:
        with gzip.open(path) as packed:
            while piece := packed.read(1 << 20):
                if plain.tell() > _LARGEST:
                    raise ValueError(f"more than {_LARGEST} bytes")
                plain.write(piece)
        plain.flush()
        yield Path(plain.name)


def _find(folder: Path, name: str) -> Path:
    for path in (folder / f"{name}.gz", folder / name):
        if path.is_file():
            return path
    raise ValueError(
        f"Fashion-MNIST was not found: looked for {name}.gz in {folder}; install the Debian package "
        "dataset-fashion-mnist or give the folder that holds the IDX files"
    )
