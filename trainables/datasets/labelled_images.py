"""Image sets whose classes have names: some classes may be chosen, and small images padded to a larger size."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from trainables.datasets.dataset import Dataset
from trainables.family import require
from trainables.nearest import listed
from trainables.paths import check_path

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.sources.image_source import ImageSource
    from trainables.sources.source import Batch

__all__ = ["LabelledImages"]


class LabelledImages(Dataset):
    """A dataset of images (channels, size, size) as bytes; members have a field ``only``, some ``size`` and ``root``.

    Attributes:
        names: of the classes, in the order of their numbers.
        channels: 1 for grey, 3 for colour.
        sides: sizes to choose from: that of the images, then those they can be padded to with black.
        levels: of grey.
        size: side of the samples.
        only: classes to keep, by name or number, renumbered 0, 1, … in that order; None for all.
        root: folder in which its files are looked for first. A field where there are files.
    """

    names: ClassVar[tuple[str, ...]]
    channels: ClassVar[int] = 1
    sides: ClassVar[tuple[int, ...]]
    levels: ClassVar[int] = 256
    size: int
    only: tuple[int | str, ...] | None
    root: str | None = None

    def check(self) -> None:
        """The size is one of those there are, and so are the classes; these come to be told by number."""
        if self.root is not None:
            check_path("dataset.root", self.root)
        sizes = ", ".join(map(str, self.sides))
        require(
            self.size in self.sides, f"dataset.size of {self.name} must be one of {sizes}, got {self.size}"
        )
        if self.only is not None:
            require(len(self.only) > 0, "dataset.only needs at least one class, got an empty list")
            numbers = tuple(map(self._number, self.only))
            require(
                len(set(numbers)) == len(numbers),
                f"dataset.only must name each class once, got {list(self.only)}",
            )
            object.__setattr__(self, "only", numbers)  # one spelling for one choice

    def _number(self, wanted: int | str) -> int:
        """The number of a class told by its name or number."""
        if wanted in self.names:
            return self.names.index(str(wanted))
        number = int(wanted) if str(wanted).isdecimal() and len(str(wanted)) < 9 else -1
        require(
            0 <= number < len(self.names),
            f"dataset.only of {self.name} must have classes 0 to {len(self.names) - 1} or their names, got "
            f"{wanted!r}; it can be {listed(self.names)}",
        )
        return number

    @property
    def shape(self) -> tuple[int, ...]:
        """Images (channels, height, width)."""
        return (self.channels, self.size, self.size)

    @property
    def classes(self) -> int:
        """As many as are kept."""
        return len(self._kept())

    def _kept(self) -> list[int]:
        return [*map(int, self.only)] if self.only is not None else [*range(len(self.names))]

    @abstractmethod
    def parts(self) -> tuple[Batch, Batch]:
        """Bytes (N, channels, side, side) and labels (N,): what is trained on, and what is held out."""

    def source(self) -> ImageSource:
        """The images of the classes that are kept, padded to their size."""
        from trainables.sources.image_source import ImageSource

        seen, unseen = (self._chosen(*part) for part in self.parts())
        names = tuple(self.names[number] for number in self._kept())
        return ImageSource(seen, unseen, names, self.levels)

    def _chosen(self, images: Tensor, labels: Tensor | None) -> Batch:
        import torch
        import torch.nn.functional as F

        from trainables.sources.source import Batch

        if labels is None:
            raise ValueError(f"dataset {self.name} must have labels, but there are none")
        new = torch.full((len(self.names),), -1)
        new[self._kept()] = torch.arange(self.classes)
        renumbered = new[labels]
        kept = renumbered >= 0
        require(
            bool(kept.any()), f"dataset {self.name} has no images of the classes {self._kept()}; keep others"
        )
        margin = (self.size - images.shape[-1]) // 2
        return Batch(F.pad(images[kept], (margin,) * 4), renumbered[kept])
