"""IDX files, in which MNIST and its kin are kept (LeCun, Cortes & Burges 1998)."""

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

from trainables.sources.source import Batch

__all__ = ["read_idx", "read_part"]

SIDE, CLASSES = 28, 10
_LARGEST = 1 << 28  # bytes of an unpacked file; those of MNIST have 47 million at most
_PREFIX = {"train": "train", "test": "t10k"}


def read_part(folder: Path, part: Literal["train", "test"]) -> Batch:
    """Images (N, 1, 28, 28) as bytes and labels (N,) of one part of MNIST or a set made after it."""
    prefix = _PREFIX[part]
    of_images = _packed_or_plain(folder / f"{prefix}-images-idx3-ubyte")
    of_labels = _packed_or_plain(folder / f"{prefix}-labels-idx1-ubyte")
    images, labels = read_idx(of_images), read_idx(of_labels)
    if images.ndim != 3 or images.shape[1:] != (SIDE, SIDE):
        raise ValueError(
            f"{of_images} must hold images of {SIDE}×{SIDE}, got shape {tuple(images.shape)}; get it again"
        )
    if labels.shape != images.shape[:1] or int(labels.max()) >= CLASSES:
        raise ValueError(
            f"{of_labels} must hold {len(images)} labels 0 to {CLASSES - 1}, one for each image, got shape "
            f"{tuple(labels.shape)} and labels up to {int(labels.max())}; get it again"
        )
    return Batch(images[:, None], labels.long())


def _packed_or_plain(path: Path) -> Path:
    packed = path.with_name(f"{path.name}.gz")
    return packed if packed.is_file() else path


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
        OSError,
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
