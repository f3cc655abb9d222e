"""What a feature extractor is to a sweep or a measurement: a config that builds the network when asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from trainables.family import Member

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.features.extractor import Extractor

__all__ = ["FeatureExtractor", "Images"]


@dataclass(frozen=True)
class Images:
    """What headers tell of images: how many there are, their shapes (c, h, w), whether classes are known."""

    count: int
    shapes: frozenset[tuple[int, int, int]]
    labelled: bool = False


class FeatureExtractor(Member, ABC):
    """A member of the family of extractors.

    Attributes:
        has_logits: whether its network can tell classes too.
        only_images: it cannot take points.
        learns: how many samples of the training part it learns from, with their labels; 0 if it learns nothing.
        argument: the field that ``tradeoff measure --features NAME=VALUE`` sets, if there is one.
    """

    argument: ClassVar[str | None] = None
    has_logits: ClassVar[bool] = False
    only_images: ClassVar[bool] = False
    learns: ClassVar[int] = 0

    def look(self, real: Images, fake: Images) -> None:
        """Refuse, before torch is loaded, images it could not take and files that hold no such network.

        What is not told without torch is told by the network.
        """

    @abstractmethod
    def build(self, samples: Tensor, labels: Tensor | None, cache: Path) -> Extractor:
        """The extractor, given real samples (N, *shape) and their labels (N,) to learn from if it must.

        Samples are on the device on which to learn. Files that may be kept for the next time go into ``cache``.
        """
