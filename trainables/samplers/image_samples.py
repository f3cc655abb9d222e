"""Samples in a folder of images, opened when their block is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trainables.sources.image_files import cores, opened

__all__ = ["ImageSamples"]


class ImageSamples:
    """Images of one size, as they are: grey ones with one channel, others as red, green and blue.

    Attributes:
        name: what sentences call them.
        shape: (c, h, w) of the first, which is that of all.
    """

    def __init__(self, folder: Path, files: Sequence[str]) -> None:
        """``files``: their names in the folder, in the order of the samples."""
        self.name = str(folder)
        self._paths = [str(folder / file) for file in files]
        if not self._paths:
            raise ValueError(f"{folder} must have samples, but has none")
        self.shape: tuple[int, ...] = ()
        self.shape = self._read(self._paths[0]).shape

    def __len__(self) -> int:
        return len(self._paths)

    def blocks(self, size: int, first: int = 0) -> Iterator[Tensor]:
        """As ``Samples.blocks``; threads share the work, Pillow lets them."""
        with ThreadPoolExecutor(cores()) as pool:
            for start in range(first * size, len(self._paths), size):
                yield torch.from_numpy(
                    np.stack(list(pool.map(self._read, self._paths[start : start + size])))
                )

    def _read(self, path: str) -> NDArray[np.uint8]:
        with opened(path) as image:
            grey = image.mode == "L" if not self.shape else self.shape[0] == 1
            if grey and image.mode != "L":
                raise ValueError(
                    f"{path} must be grey like the first image of {self.name}, got mode {image.mode}"
                )
            pixels = np.array(image.convert("L" if grey else "RGB"), dtype=np.uint8)
        found = pixels[None] if grey else pixels.transpose(2, 0, 1)
        if self.shape and found.shape != self.shape:
            raise ValueError(
                f"{path} must have the shape {self.shape} of the first image of {self.name}, got {found.shape}; keep "
                "images of one size in a folder"
            )
        return found
