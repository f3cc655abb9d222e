"""VGG16, last hidden layer (Kynkäänniemi et al. 2019)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from trainables.extractors.extractor import FeatureExtractor, Images
from trainables.extractors.weight_files import Weights, check_channels, check_state, find_weights
from trainables.paths import check_path

if TYPE_CHECKING:
    from torch import Tensor

    from trainables.features.extractor import Extractor

__all__ = ["WEIGHTS", "Vgg16"]

WEIGHTS = Weights(
    "VGG16",
    "features.0.weight",
    (64, 3, 3, 3),
    "pass a state dict of torchvision's vgg16 (with or without its classifier) or put it into the torch hub cache",
    ("vgg16-397923af.pth",),
)


@dataclass(frozen=True)
class Vgg16(FeatureExtractor):
    """Images in features of a network trained on ImageNet; ``weights`` names a file, left open it is searched for.

    Attributes:
        weights: file of the network's weights; left open, it is searched for.
    """

    name: ClassVar[str] = "vgg16"
    only_images: ClassVar[bool] = True
    argument: ClassVar[str | None] = "weights"
    weights: str | None = None

    def check(self) -> None:
        """The weights have a place."""
        if self.weights is not None:
            check_path("weights of features", self.weights)

    def look(self, real: Images, fake: Images) -> None:
        """Images are grey or coloured, and the file is there and holds the first layer."""
        check_channels(real, fake)
        path = find_weights(WEIGHTS, self.weights)
        check_state(path, WEIGHTS)

    def build(self, samples: Tensor, labels: Tensor | None, cache: Path) -> Extractor:
        """The network with its weights."""
        from trainables.features.vgg import vgg16

        return vgg16(self.weights)
