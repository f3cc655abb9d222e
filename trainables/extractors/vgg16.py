"""VGG16, last hidden layer (Kynkäänniemi et al. 2019)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from trainables.extractors.extractor import FeatureExtractor
from trainables.paths import check_path

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.features.extractor import Extractor

__all__ = ["Vgg16"]


@dataclass(frozen=True)
class Vgg16(FeatureExtractor):
    """Images in features of a network trained on ImageNet; ``weights`` names a file, left open it is searched for."""

    name: ClassVar[str] = "vgg16"
    argument: ClassVar[str | None] = "weights"
    weights: str | None = None

    def check(self) -> None:
        """The weights have a place."""
        if self.weights is not None:
            check_path("weights of features", self.weights)

    def build(self, samples: Tensor, labels: Tensor | None, cache: Path) -> Extractor:
        """The network with its weights."""
        from trainables.features.vgg import vgg16

        return vgg16(self.weights)
