"""Reference statistics of real data, computed once and kept on disk.

A file is named by everything its content depends on. It is written aside and renamed, so concurrent writers leave one
whole file and readers never see half of one. Files are plain arrays (.npz without pickles): reading never runs code.
They are mapped, not read: however many processes of a machine use them, they are in its memory once.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from trainables.features.mapped import map_arrays, write_arrays
from trainables.features.once import made_once

__all__ = ["ReferenceKey", "ReferenceStore"]

CODE_VERSION = "1"  # raise whenever features, radii, means or covariances of the same input change


_DIGEST = "digest"
"""The array that tells whether the others are those that were written."""


@dataclass(frozen=True)
class ReferenceKey:
    """What a stored reference depends on: the data, the extractor, the number of samples, the part, the code."""

    data: str
    extractor: str
    samples: int
    part: str
    code: str = CODE_VERSION

    def name(self) -> str:
        """The file name: a hash of all fields."""
        text = "\0".join((self.data, self.extractor, str(self.samples), self.part, self.code))
        return hashlib.sha256(text.encode()).hexdigest()[:32]


class ReferenceStore:
    """Named tensors by key in one folder."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def path(self, key: ReferenceKey) -> Path:
        """Where the key's file is or will be."""
        return self.folder / f"{key.name()}.npz"

    def get(self, key: ReferenceKey, compute: Callable[[], Mapping[str, Tensor]]) -> dict[str, Tensor]:
        """The stored tensors, or those of ``compute``, which are then stored. A damaged file is made anew.

        Of processes that ask for one key at the same time, one computes and the others wait for it.
        """
        path = self.path(key)

        def make() -> dict[str, Tensor]:
            made = dict(compute())
            self._write(path, made)
            return self._read(path) or made

        return made_once(path, self._read, make)

    @staticmethod
    def _read(path: Path) -> dict[str, Tensor] | None:
        try:
            arrays = map_arrays(path)
        except Exception:  # none there, or damaged: there is nothing that a damaged archive does not raise
            return None
        said = arrays.pop(_DIGEST, None)
        if said is None or not np.array_equal(said, _digest(arrays)):
            return None
        return {name: torch.from_numpy(array) for name, array in arrays.items()}

    def _write(self, path: Path, tensors: Mapping[str, Tensor]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        handle, aside = tempfile.mkstemp(dir=self.folder, suffix=".part")
        try:
            arrays = {name: tensor.cpu().numpy() for name, tensor in tensors.items()}
            with os.fdopen(handle, "wb") as file:
                write_arrays(file, {**arrays, _DIGEST: _digest(arrays)})
            Path(aside).replace(path)
        except BaseException:
            Path(aside).unlink(missing_ok=True)
            raise


def _digest(arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    """SHA-256 of names, kinds, shapes and numbers, in the order of the names → (32,) uint8."""
    found = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        found.update(f"{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        found.update(np.ascontiguousarray(array).data)
    return np.frombuffer(found.digest(), np.uint8)
