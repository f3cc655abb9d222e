"""CelebA (Liu, Luo, Wang & Tang 2015)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from trainables.datasets.dataset import Dataset
from trainables.datasets.places import Layout
from trainables.family import require
from trainables.nearest import nearest
from trainables.paths import check_path

if TYPE_CHECKING:
    from trainables.sources.source import Source

__all__ = ["CelebA"]

LAYOUT = Layout("CelebA", ("img_align_celeba", "list_eval_partition.txt"), ("celeba",), kind="CelebA")
MOST_WORKERS = 256
# fmt: off
ATTRIBUTES = (
    "5_o_Clock_Shadow", "Arched_Eyebrows", "Attractive", "Bags_Under_Eyes", "Bald", "Bangs", "Big_Lips",
    "Big_Nose", "Black_Hair", "Blond_Hair", "Blurry", "Brown_Hair", "Bushy_Eyebrows", "Chubby",
    "Double_Chin", "Eyeglasses", "Goatee", "Gray_Hair", "Heavy_Makeup", "High_Cheekbones", "Male",
    "Mouth_Slightly_Open", "Mustache", "Narrow_Eyes", "No_Beard", "Oval_Face", "Pale_Skin", "Pointy_Nose",
    "Receding_Hairline", "Rosy_Cheeks", "Sideburns", "Smiling", "Straight_Hair", "Wavy_Hair",
    "Wearing_Earrings", "Wearing_Hat", "Wearing_Lipstick", "Wearing_Necklace", "Wearing_Necktie", "Young",
)
# fmt: on
"""What faces are marked with, by the names of the set itself."""


@dataclass(frozen=True)
class CelebA(Dataset):
    """202,599 faces in colour, the middle 148×148 resized to ``size``; its 19,962 test images are held out.

    Attributes:
        size: side of the samples.
        attribute: an attribute such as ``Smiling`` that makes two classes; left open, there are none.
        root: folder in which its files are looked for first.
        held: where images are: ``memory``, read from their files as a ``stream``, or ``auto``, which goes by their
            size.
        workers: processes that read files ahead in a stream; left open, one less than there are cores, at most 8.
    """

    name: ClassVar[str] = "celeba"
    placing: ClassVar[tuple[str, ...]] = ("root", "held", "workers")
    size: int = 64
    attribute: str | None = None
    root: str | None = None
    held: Literal["auto", "memory", "stream"] = "auto"
    workers: int | None = None

    def check(self) -> None:
        """A size that a face of 148 pixels has, an attribute that faces are marked with, and a root that can be."""
        require(8 <= self.size <= 148, f"dataset.size of celeba must be in 8 … 148, got {self.size}; use 64")
        if self.attribute is not None and self.attribute not in ATTRIBUTES:
            near = nearest(self.attribute, ATTRIBUTES)
            raise ValueError(f"dataset.attribute must be one of CelebA's 40, got {self.attribute!r}{near}")
        require(
            self.workers is None or 0 <= self.workers <= MOST_WORKERS,
            f"dataset.workers must be in 0 … {MOST_WORKERS}, got {self.workers}",
        )
        if self.root is not None:
            check_path("dataset.root", self.root)

    @property
    def shape(self) -> tuple[int, ...]:
        """Images in colour."""
        return (3, self.size, self.size)

    @property
    def classes(self) -> int | None:
        """Two with an attribute: faces that have it not, and faces that have it."""
        return None if self.attribute is None else 2

    def source(self) -> Source:
        """The official parts, in memory or read as training goes on."""
        from trainables.sources.celeba import read_celeba
        from trainables.sources.download import obtained
        from trainables.sources.held import source_of_files

        seen, unseen = read_celeba(obtained(LAYOUT, self.root), self.size, self.attribute)
        names = None if self.attribute is None else (f"not {self.attribute}", self.attribute)
        return source_of_files(seen, unseen, names, self.held, self.workers)
