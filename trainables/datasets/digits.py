"""The digits that come with scikit-learn (Alpaydin & Kaynak 1998)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from trainables.datasets.labelled_images import LabelledImages
from trainables.family import require

if TYPE_CHECKING:
    from trainables.sources.source import Batch

__all__ = ["Digits"]

_COUNT = 1797


@dataclass(frozen=True)
class Digits(LabelledImages):
    """1,797 handwritten digits, 8×8 in 17 greys; nothing is downloaded. There is no test set: a share is held out.

    Attributes:
        held_out: share of the images that training does not see.
    """

    name: ClassVar[str] = "digits"
    names: ClassVar[tuple[str, ...]] = tuple(map(str, range(10)))
    sides: ClassVar[tuple[int, ...]] = (8, 16, 32)
    levels: ClassVar[int] = 17
    size: int = 8
    only: tuple[int | str, ...] | None = None
    held_out: float = 0.2

    def check(self) -> None:
        """Sizes and classes there are, and a share that leaves both parts something."""
        super().check()
        require(
            0.01 <= self.held_out <= 0.9,
            f"dataset.held_out must be in [0.01, 0.9], got {self.held_out}; use 0.2",
        )

    @property
    def held_out_count(self) -> int | None:
        """Of all classes; how many there are of some is not known beforehand."""
        return int(_COUNT * self.held_out) if self.only is None else None

    def parts(self) -> tuple[Batch, Batch]:
        """A split by a shuffle that is always the same."""
        from trainables.sources.digits import digits
        from trainables.sources.source import Batch
        from trainables.sources.split import split

        images, labels = digits()
        seen, unseen = split(len(images), self.held_out)
        return Batch(images[seen], labels[seen]), Batch(images[unseen], labels[unseen])
