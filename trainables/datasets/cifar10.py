"""CIFAR-10 (Krizhevsky 2009)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.datasets.labelled_images import LabelledImages
from trainables.datasets.places import Layout

if TYPE_CHECKING:
    from trainables.sources.source import Batch

__all__ = ["Cifar10"]

TRAINING = tuple(f"data_batch_{number}" for number in range(1, 6))
TEST = ("test_batch",)
LAYOUT = Layout("CIFAR-10", (*TRAINING, *TEST), ("cifar-10-batches-py",), kind="CIFAR10")


@dataclass(frozen=True)
class Cifar10(LabelledImages):
    """60,000 photographs of animals and vehicles, colour, 32×32; its 10,000 test images are held out."""

    name: ClassVar[str] = "cifar10"
    placing: ClassVar[tuple[str, ...]] = ("root",)
    names: ClassVar[tuple[str, ...]] = (
        "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"
    )  # fmt: skip
    channels: ClassVar[int] = 3
    sides: ClassVar[tuple[int, ...]] = (32,)
    size = 32
    only: tuple[int | str, ...] | None = None
    root: str | None = None

    @property
    def held_out_count(self) -> int | None:
        """A thousand of every class."""
        return 1000 * self.classes

    def parts(self) -> tuple[Batch, Batch]:
        """The official parts."""
        from trainables.sources.cifar10 import read_batches
        from trainables.sources.download import obtained

        folder = obtained(LAYOUT, self.root)
        return read_batches([folder / file for file in TRAINING]), read_batches(
            [folder / file for file in TEST]
        )
