"""What a feature extractor is to a sweep or a measurement: a config that builds the network when asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from trainables.family import Member

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.features.extractor import Extractor

__all__ = ["FeatureExtractor"]


class FeatureExtractor(Member, ABC):
    """A member of the family of extractors.

    Attributes:
        has_logits: whether its network can tell classes too.
        argument: the field that ``tradeoff measure --features NAME=VALUE`` sets, if there is one.
    """

    argument: ClassVar[str | None] = None
    has_logits: ClassVar[bool] = False

    @abstractmethod
    def build(self, samples: Tensor, labels: Tensor | None, cache: Path) -> Extractor:
        """The extractor, given real samples (N, *shape) and their labels (N,) to learn from if it must; files that
        may be kept for the next time go into ``cache``."""
