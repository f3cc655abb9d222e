"""MNIST (LeCun, Cortes & Burges 1998)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.datasets.labelled_images import LabelledImages
from trainables.datasets.places import Layout

if TYPE_CHECKING:
    from trainables.sources.source import Batch

__all__ = ["IDX_FILES", "Mnist"]

IDX_FILES = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)
LAYOUT = Layout("MNIST", IDX_FILES, ("MNIST/raw", "mnist"), kind="MNIST", own=(".", "raw"))


@dataclass(frozen=True)
class Mnist(LabelledImages):
    """70,000 handwritten digits, grey, 28×28 or padded to 32×32; its 10,000 test images are held out."""

    name: ClassVar[str] = "mnist"
    placing: ClassVar[tuple[str, ...]] = ("root",)
    names: ClassVar[tuple[str, ...]] = tuple(map(str, range(10)))
    sides: ClassVar[tuple[int, ...]] = (28, 32)
    size: int = 28
    only: tuple[int | str, ...] | None = None
    root: str | None = None

    @property
    def held_out_count(self) -> int | None:
        """Of all classes; they are not equally many."""
        return 10_000 if self.only is None else None

    def parts(self) -> tuple[Batch, Batch]:
        """The official parts."""
        from trainables.sources.download import obtained
        from trainables.sources.idx import read_part

        folder = obtained(LAYOUT, self.root)
        return read_part(folder, "train"), read_part(folder, "test")
