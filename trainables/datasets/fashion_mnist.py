"""Fashion-MNIST (Xiao, Rasul & Vollgraf 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from trainables.datasets.labelled_images import LabelledImages
from trainables.datasets.mnist import IDX_FILES
from trainables.datasets.places import Layout

if TYPE_CHECKING:
    from trainables.sources.source import Batch

__all__ = ["FashionMnist"]

PACKAGE = Path("/usr/share/datasets/fashion-mnist")
"""Where the Debian package ``dataset-fashion-mnist`` puts it."""

LAYOUT = Layout(
    "Fashion-MNIST",
    IDX_FILES,
    ("FashionMNIST/raw", "fashion-mnist", "fashion_mnist"),
    kind="FashionMNIST",
    own=(".", "raw"),
    system=(PACKAGE,),
    advice="install the Debian package dataset-fashion-mnist, ",
)


@dataclass(frozen=True)
class FashionMnist(LabelledImages):
    """70,000 pictures of clothes, grey, 28×28 or padded to 32×32; its 10,000 test images are held out."""

    name: ClassVar[str] = "fashion_mnist"
    placing: ClassVar[tuple[str, ...]] = ("root",)
    names: ClassVar[tuple[str, ...]] = (
        "T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot"
    )  # fmt: skip
    sides: ClassVar[tuple[int, ...]] = (28, 32)
    size: int = 28
    only: tuple[int | str, ...] | None = None
    root: str | None = None

    @property
    def held_out_count(self) -> int | None:
        """A thousand of every class."""
        return 1000 * self.classes

    def parts(self) -> tuple[Batch, Batch]:
        """The official parts."""
        from trainables.sources.download import obtained
        from trainables.sources.idx import read_part

        folder = obtained(LAYOUT, self.root)
        return read_part(folder, "train"), read_part(folder, "test")
